import { lookup, type LookupAddress } from "node:dns";
import { isIP } from "node:net";
import { isPublicAddress } from "./addresses.js";

/** What an operator lets webhooks do. */
export interface TargetRules {
  readonly addresses: "public" | "any";
  readonly http: "refused" | "allowed";
}

export const MOST_URL_LENGTH = 2_000;
/** Longest wait for DNS where a webhook is set, milliseconds; each attempt asks again in any case. */
const LOOK_UP_MS = 2_000;

/** A name that leads, or an address that is, where webhooks may not go. */
export class ForbiddenAddress extends Error {}

/** What is wrong with the text of a URL, worded to follow the name of a field; null where nothing is. */
export function urlProblem(text: string, rules: TargetRules): string | null {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || text.length > MOST_URL_LENGTH || /[^\x21-\x7e]/.test(text)) return "must be a URL of ASCII characters";
  if (url.protocol !== "https:" && (url.protocol !== "http:" || rules.http === "refused"))
    return rules.http === "refused" ? "must begin with https://" : "must begin with https:// or http://";
  if (url.username !== "" || url.password !== "") return "must not contain a user or a password";
  if (url.hash !== "") return "must not contain a fragment";
  if (isIP(hostOf(url)) !== 0 && !allows(rules, hostOf(url))) return "must not lead to a private address";
  return null;
}

/**
 * What is wrong with where the URL leads now; null where nothing is. A name that cannot be looked up now may well lead
 * somewhere later, and is then looked at again; one that DNS says does not exist is refused.
 */
export async function targetProblem(text: string, rules: TargetRules): Promise<string | null> {
  const problem = urlProblem(text, rules);
  const host = problem === null ? hostOf(new URL(text)) : "";
  if (problem !== null || rules.addresses === "any" || isIP(host) !== 0) return problem;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => (timer = setTimeout(resolve, LOOK_UP_MS, null)));
  try {
    await Promise.race([late, allowedAddresses(host, rules)]);
    return null;
  } catch (error) {
    if (error instanceof ForbiddenAddress) return "must not lead to a private address";
    return (error as NodeJS.ErrnoException).code === "ENOTFOUND" ? "has a host that DNS does not know" : null;
  } finally {
    clearTimeout(timer);
  }
}

/**
 * All addresses of a name, looked up now, if each of them is allowed: one that is not says that the name is meant to lead
 * astray. Whoever connects must connect to one of these, and not look the name up again.
 * @throws ForbiddenAddress; the error of the look-up.
 */
export async function allowedAddresses(host: string, rules: TargetRules): Promise<LookupAddress[]> {
  const found = await new Promise<LookupAddress[]>((resolve, reject) =>
    lookup(host, { all: true }, (error, addresses) => (error ? reject(error) : resolve(addresses))),
  );
  refuseForbidden(found, rules);
  return found;
}

function refuseForbidden(found: readonly LookupAddress[], rules: TargetRules): void {
  if (found.length === 0 || !found.every(({ address }) => allows(rules, address)))
    throw new ForbiddenAddress("the address is private");
}

export function allows({ addresses }: TargetRules, address: string): boolean {
  return addresses === "any" || isPublicAddress(address);
}

/** The host as a resolver and a socket take it: an IPv6 address without its brackets. */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, "");
}
