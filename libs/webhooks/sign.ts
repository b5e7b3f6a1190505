import { createHmac, randomBytes } from "node:crypto";

export const SIGNATURE_HEADER = "holdfast-signature";

/** 256 random bits; the whole text, with its prefix, is the key of the signature. */
export function newWebhookSecret(): string {
  return `whsec_${randomBytes(32).toString("base64url")}`;
}

/**
 * `t=<seconds since 1970>,v1=<hex>`, with one v1 for each secret that is valid now: HMAC-SHA-256 over `<t>.<body>`. The time
 * is that of the attempt, so that a receiver can refuse what somebody recorded and sends again.
 */
export function signatureHeader(secrets: readonly string[], atMs: number, body: string): string {
  const t = Math.floor(atMs / 1_000);
  const signatures = secrets.map((secret) => createHmac("sha256", secret).update(`${t}.${body}`).digest("hex"));
  return [`t=${t}`, ...signatures.map((signature) => `v1=${signature}`)].join(",");
}
