import { Problem, notFound } from "../problems/problem.js";
import { claimOf, hashOf, sameHash } from "./keys.js";
import type { KeyCache, KeyRow } from "./key-cache.js";

export type Caller = { readonly kind: "operator" } | { readonly kind: "tenant"; readonly tenantId: string };

const OPERATOR: Caller = { kind: "operator" };
const BEARER = /^Bearer +([\x21-\x7e]{1,512}) *$/i;

/** Tells who sends a request, from its Authorization header alone. */
export class Authenticator {
  constructor(
    private readonly adminHash: string,
    private readonly keys: KeyCache,
  ) {}

  /** Answers at once where the key is known. Throws Problem for whatever is no valid key. */
  callerOf(authorization: string | undefined): Caller | Promise<Caller> {
    const key = authorization === undefined ? undefined : BEARER.exec(authorization)?.[1];
    if (key === undefined) throw unauthenticated("This needs the header Authorization: Bearer <key>.");
    const hash = hashOf(key);
    if (sameHash(hash, this.adminHash)) return OPERATOR;
    const claim = claimOf(key);
    if (!claim) throw unauthenticated("The key is not known.");
    const row = this.keys.find(claim);
    if (row instanceof Promise) return row.then((loaded) => callerBy(loaded, hash, claim.tenantId));
    return callerBy(row, hash, claim.tenantId);
  }
}

function callerBy(row: KeyRow | null, hash: string, tenantId: string): Caller {
  if (!row || !sameHash(row.hash, hash) || row.revoked) throw unauthenticated("The key is not known, or was revoked.");
  if (row.tenantDeleted) throw notFound("tenant");
  return { kind: "tenant", tenantId };
}

function unauthenticated(detail: string): Problem {
  return new Problem("unauthenticated", detail);
}
