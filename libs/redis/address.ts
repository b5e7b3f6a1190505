import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { isIPv6 } from "node:net";
import { createSecureContext } from "node:tls";

/** What is wrong with an address, worded to follow the name of the variable. Never repeats a user or a password. */
export class RedisUrlProblem extends Error {}

export interface RedisHost {
  readonly host: string;
  readonly port: number;
}

export interface RedisLogin {
  /** Without one, the server's default user. */
  readonly username?: string;
  readonly password?: string;
}

export interface RedisTls {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  /** The name that every server's certificate must carry, where it is not that of its host. */
  readonly servername?: string;
}

export type RedisForm = "single" | "cluster" | "sentinel";

/** Where a Redis is and how it is spoken to. */
export interface RedisAddress {
  readonly form: RedisForm;
  /** The one server, some nodes of the cluster, or the Sentinels. */
  readonly hosts: readonly RedisHost[];
  readonly login: RedisLogin;
  readonly db: number;
  /** By what name the Sentinels know the master, and how they are logged in to. */
  readonly master?: string;
  readonly sentinelLogin: RedisLogin;
  /** undefined: in the clear. Otherwise every connection is encrypted and every certificate verified. */
  readonly tls?: RedisTls;
}

interface Scheme {
  readonly form: RedisForm;
  readonly tls: boolean;
  readonly port: number;
  readonly parameters: readonly string[];
}

const TLS_FILES = ["ca", "cert", "key"] as const;
const TLS_PARAMETERS = [...TLS_FILES, "servername"];
const SENTINEL_PARAMETERS = ["sentinelUser", "sentinelPassword"];

const SCHEMES: Readonly<Record<string, Scheme>> = {
  redis: { form: "single", tls: false, port: 6_379, parameters: [] },
  rediss: { form: "single", tls: true, port: 6_379, parameters: TLS_PARAMETERS },
  "redis+cluster": { form: "cluster", tls: false, port: 6_379, parameters: [] },
  "rediss+cluster": { form: "cluster", tls: true, port: 6_379, parameters: TLS_PARAMETERS },
  "redis+sentinel": { form: "sentinel", tls: false, port: 26_379, parameters: SENTINEL_PARAMETERS },
  "rediss+sentinel": {
    form: "sentinel",
    tls: true,
    port: 26_379,
    parameters: [...TLS_PARAMETERS, ...SENTINEL_PARAMETERS],
  },
};

/** The schemes with what parts they have: all before the last @ is the login, so that a password may hold one. */
const SHAPE = /^([a-z+]+):\/\/(?:([^/?#]*)@)?([^/?#]*)(\/[^?#]*)?(?:\?([^#]*))?$/;

/** Reads an address, and the files that it names. @throws RedisUrlProblem */
export function parseRedisUrl(text: string): RedisAddress {
  const [, name = "", login, hosts = "", path = "", query = ""] = SHAPE.exec(text) ?? [];
  const scheme = Object.hasOwn(SCHEMES, name) ? SCHEMES[name] : undefined;
  if (!scheme) {
    throw new RedisUrlProblem(`must be a URL that begins with one of ${Object.keys(SCHEMES).join(", ")} and ://`);
  }
  const parameters = parametersOf(query, scheme);
  return {
    form: scheme.form,
    hosts: hostsOf(hosts, scheme),
    login: loginOf(login),
    ...(scheme.form === "sentinel" ? masterAndDb(path, scheme) : { db: dbOf(path.slice(1), scheme) }),
    sentinelLogin: loginWith(parameters.get("sentinelUser"), parameters.get("sentinelPassword")),
    ...(scheme.tls && { tls: tlsOf(parameters) }),
  };
}

function masterAndDb(path: string, scheme: Scheme): Pick<RedisAddress, "master" | "db"> {
  const [, master = "", db = ""] = /^\/([^/]*)(?:\/(.*))?$/.exec(path) ?? [];
  if (!/^[A-Za-z0-9._-]+$/.test(master)) {
    throw new RedisUrlProblem("must name the master after the Sentinels: redis+sentinel://host:26379/mymaster");
  }
  return { master, db: dbOf(db, scheme) };
}

function hostsOf(text: string, { form, port }: Scheme): RedisHost[] {
  const parts = text.split(",");
  if (form === "single" && parts.length > 1) {
    throw new RedisUrlProblem("names several hosts: begin it with redis+cluster:// or redis+sentinel://");
  }
  return parts.map((part) => hostOf(part, port));
}

function hostOf(text: string, defaultPort: number): RedisHost {
  const [, bracketed, name, port] = /^(?:\[([^\]]*)\]|([A-Za-z0-9_.-]*))(?::(.*))?$/.exec(text) ?? [];
  const host = bracketed ?? name;
  if (!host || (bracketed !== undefined && !isIPv6(bracketed))) {
    throw new RedisUrlProblem("has no host, or one that is no host name or IP address (IPv6 in brackets)");
  }
  if (port === undefined) return { host, port: defaultPort };
  if (!/^[1-9]\d{0,4}$/.test(port) || Number(port) > 65_535) {
    throw new RedisUrlProblem("has a port that is no whole number from 1 to 65535");
  }
  return { host, port: Number(port) };
}

function dbOf(text: string, { form }: Scheme): number {
  if (text === "") return 0;
  if (form === "cluster") throw new RedisUrlProblem("names a database, but a cluster has only one");
  if (!/^(0|[1-9]\d{0,4})$/.test(text)) throw new RedisUrlProblem("has a path that is no number of a database");
  return Number(text);
}

function loginOf(text: string | undefined): RedisLogin {
  if (text === undefined) return {};
  const [user = "", ...password] = text.split(":");
  return loginWith(decoded(user) || undefined, decoded(password.join(":")));
}

function loginWith(username: string | undefined, password: string | undefined): RedisLogin {
  if (username === undefined && password === undefined) return {};
  if (!password) throw new RedisUrlProblem("has a login without a password: user:password@ or :password@");
  return { ...(username !== undefined && { username }), password };
}

function parametersOf(query: string, { tls, parameters }: Scheme): Map<string, string> {
  const given = new Map<string, string>();
  for (const part of query === "" ? [] : query.split("&")) {
    const [name = "", ...value] = part.split("=");
    if (!parameters.includes(name)) {
      const isTls = TLS_PARAMETERS.includes(name) && !tls;
      const allowed = parameters.length > 0 ? `only ${parameters.join(", ")}` : "none";
      throw new RedisUrlProblem(
        isTls
          ? `has the parameter ${name}, which is for TLS: begin it with rediss`
          : `has an unknown parameter; here it may have ${allowed}`,
      );
    }
    if (given.has(name)) throw new RedisUrlProblem(`has the parameter ${name} twice`);
    const text = decoded(value.join("="));
    if (text === "") throw new RedisUrlProblem(`has the parameter ${name} without a value`);
    given.set(name, text);
  }
  return given;
}

function tlsOf(parameters: ReadonlyMap<string, string>): RedisTls {
  const files = TLS_FILES.flatMap((name) => {
    const path = parameters.get(name);
    return path === undefined ? [] : [[name, contentOf(name, path)] as const];
  });
  const servername = parameters.get("servername");
  if (servername !== undefined && !/^[A-Za-z][A-Za-z0-9.-]*$/.test(servername)) {
    throw new RedisUrlProblem("has a servername that is no host name");
  }
  const tls: RedisTls = { ...Object.fromEntries(files), ...(servername !== undefined && { servername }) };
  if ((tls.cert === undefined) !== (tls.key === undefined)) {
    throw new RedisUrlProblem("has only one of cert and key, which go together");
  }
  return usable(tls);
}

function contentOf(name: string, path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new RedisUrlProblem(`names a file for ${name} that cannot be read (${code}): ${path}`);
  }
}

/** What is no certificate would otherwise be left out without a word. */
function usable(tls: RedisTls): RedisTls {
  try {
    if (tls.ca !== undefined) new X509Certificate(tls.ca);
  } catch {
    throw new RedisUrlProblem("names a file for ca that holds no certificate in PEM");
  }
  try {
    createSecureContext({ cert: tls.cert, key: tls.key });
    return tls;
  } catch {
    throw new RedisUrlProblem("names files for cert and key that are no certificate and its key in PEM");
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new RedisUrlProblem("has a % that begins no percent-encoded character");
  }
}
