import type { IncomingHttpHeaders } from "node:http";
import type { KeyUse } from "#libs/ledger";
import { Problem } from "../problems/problem.js";
import { fingerprintOf } from "./fingerprint.js";

/** Visible ASCII: what a header carries unchanged through every proxy. */
export const KEY = /^[\x21-\x7e]{1,255}$/;
export const KEY_RULE = "must be 1 to 255 visible ASCII characters";

/** Keys of tenant routes and of admin routes live in one table of a tenant and never meet. */
type Namespace = "t" | "a";

export interface KeyedRequest {
  readonly method: "POST";
  /** With the ids in it. */
  readonly path: string;
  readonly body: unknown;
}

/** The key of the `Idempotency-Key` header, bound to the request. Throws Problem where there is none or a malformed one. */
export function keyOfHeader(headers: IncomingHttpHeaders, namespace: Namespace, request: KeyedRequest): KeyUse {
  const key = headers["idempotency-key"];
  if (key === undefined) {
    throw new Problem("idempotency_key_missing", "This route needs the header Idempotency-Key.");
  }
  if (typeof key !== "string" || !KEY.test(key)) {
    throw new Problem("validation_failed", `The header Idempotency-Key ${KEY_RULE}.`);
  }
  return useOf(key, namespace, request);
}

export function useOf(key: string, namespace: Namespace, { method, path, body }: KeyedRequest): KeyUse {
  return { key: `${namespace}:${key}`, fingerprint: fingerprintOf(method, path, body) };
}
