import { hash, randomBytes, timingSafeEqual } from "node:crypto";
import { newId } from "#libs/ledger";
import type { KeyClaim } from "./key-cache.js";
import { ULID_PATTERN } from "../openapi/schemas.js";

const SECRET_BYTES = 32;
const TENANT_KEY = new RegExp(`^hfk_(${ULID_PATTERN})_(${ULID_PATTERN})_[A-Za-z0-9_-]{43}$`);

export interface NewKey {
  readonly id: string;
  /** Shown once, to whoever made it. */
  readonly key: string;
  /** What is kept. */
  readonly hash: string;
}

/** A key of a tenant: `hfk_<tenant>_<key>_<secret>`, so that its row is found without searching by secrets. */
export function newTenantKey(tenantId: string): NewKey {
  const id = newId("key");
  const key = `hfk_${tenantId.slice("ten_".length)}_${id.slice("key_".length)}_${newSecret()}`;
  return { id, key, hash: hashOf(key) };
}

export function newAdminKey(): { key: string; hash: string } {
  const key = `hfa_${newSecret()}`;
  return { key, hash: hashOf(key) };
}

/** Whose key this claims to be; null for anything that no tenant was ever given. */
export function claimOf(key: string): KeyClaim | null {
  const parts = TENANT_KEY.exec(key);
  return parts && { tenantId: `ten_${parts[1]}`, keyId: `key_${parts[2]}` };
}

/** A fast hash is enough: the secret is 256 random bits, not a password. */
export function hashOf(key: string): string {
  return hash("sha256", key, "hex");
}

/** Compares two hashes in a time that tells nothing about them. */
export function sameHash(a: string, b: string): boolean {
  return a.length === b.length && timingSafeEqual(Buffer.from(a, "latin1"), Buffer.from(b, "latin1"));
}

function newSecret(): string {
  return randomBytes(SECRET_BYTES).toString("base64url");
}
