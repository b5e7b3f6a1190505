import { isIPv6 } from "node:net";

/** What a parser found wrong, worded to follow the name of the variable: "must be …". Never repeats the value, which may be a secret. */
export class SettingProblem extends Error {}

export type Parser<T> = (text: string) => T;

/** A whole number in plain decimal digits: no sign, no exponent, no blanks, no leading zeros. */
export function integer(min: number, max: number): Parser<number> {
  return (text) => {
    const value = /^(0|[1-9]\d{0,15})$/.test(text) ? Number(text) : Number.NaN;
    if (!(value >= min && value <= max)) throw new SettingProblem(`must be a whole number from ${min} to ${max}`);
    return value;
  };
}

/** A plain decimal number with up to three places. */
export function decimal(min: number, max: number): Parser<number> {
  return (text) => {
    const value = /^(0|[1-9]\d{0,8})(\.\d{1,3})?$/.test(text) ? Number(text) : Number.NaN;
    if (!(value >= min && value <= max)) throw new SettingProblem(`must be a number from ${min} to ${max}`);
    return value;
  };
}

export function oneOf<const T extends string>(...words: T[]): Parser<T> {
  return (text) => {
    const word = words.find((candidate) => candidate === text);
    if (word === undefined) throw new SettingProblem(`must be one of ${words.join(", ")}`);
    return word;
  };
}

/** A URL with a host and one of the protocols; the text is kept as it was given. */
function url(protocols: string[], example: string): Parser<string> {
  return (text) => {
    const parsed = URL.canParse(text) ? new URL(text) : undefined;
    if (!parsed || !protocols.includes(parsed.protocol) || parsed.hostname === "") {
      throw new SettingProblem(`must be a URL such as ${example}`);
    }
    return text;
  };
}

export const httpUrl: Parser<string> = url(["http:", "https:"], "http://collector:4318");

/** The parameters for TLS that the driver knows; any other would be passed over, and the connection be in the clear. */
const TLS_PARAMETERS: Readonly<Record<string, readonly string[] | undefined>> = {
  ssl: ["true", "false", "1", "0", "no-verify"],
  sslmode: ["disable", "prefer", "require", "verify-ca", "verify-full", "no-verify"],
  sslnegotiation: ["postgres", "direct"],
  sslrootcert: undefined,
  sslcert: undefined,
  sslkey: undefined,
};

/** A URL for node-postgres. */
export function postgresUrl(text: string): string {
  const given = url(["postgres:", "postgresql:"], "postgresql://user:password@host:5432/holdfast")(text);
  for (const [name, value] of new URL(given).searchParams) {
    if (!/^ssl/i.test(name)) continue;
    const isKnown = Object.hasOwn(TLS_PARAMETERS, name);
    if (!isKnown)
      throw new SettingProblem(`may have of TLS only the parameters ${Object.keys(TLS_PARAMETERS).join(", ")}`);
    const words = TLS_PARAMETERS[name];
    if (words && !words.includes(value)) throw new SettingProblem(`must have for ${name} one of ${words.join(", ")}`);
  }
  return given;
}

/** What begins with one of the schemes; the rest is read by whoever connects. */
export function scheme(schemes: string[], example: string): Parser<string> {
  return (text) => {
    const [before = "", after] = text.split("://", 2);
    if (!schemes.includes(before) || !after) throw new SettingProblem(`must be a URL such as ${example}`);
    return text;
  };
}

export function word<const W extends string, T>(exact: W, otherwise: Parser<T>): Parser<W | T> {
  return (text) => (text === exact ? exact : otherwise(text));
}

/** A host name or an IP address, without protocol, port or blanks. */
export function host(text: string): string {
  const name = /^[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?$/.test(text);
  if (!name && !isIPv6(text))
    throw new SettingProblem("must be a host name or an IP address, without protocol or port");
  return text;
}

export function path(text: string): string {
  if (text.includes("\0") || text.trim() !== text) throw new SettingProblem("must be a path of a folder");
  return text;
}

/** A key that fits into an Authorization header and cannot be guessed. */
export function secret(minLength: number): Parser<string> {
  return (text) => {
    if (!/^[\x21-\x7e]+$/.test(text) || text.length < minLength || text.length > 255) {
      throw new SettingProblem(`must be ${minLength} to 255 visible ASCII characters without blanks`);
    }
    return text;
  };
}
