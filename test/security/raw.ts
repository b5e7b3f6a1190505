import { connect, type Socket } from "node:net";
import type { HttpTenant } from "../support/http.js";

export interface RawAnswer {
  /** 0 where the connection ended without an answer. */
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
  /** All that came, where more than one answer could. */
  readonly all: string;
}

/** A request as bytes, which no client library would send; its answer is read until the connection ends. */
export async function sendRaw(url: string, bytes: string | Buffer): Promise<RawAnswer> {
  const all = await new Promise<string>((resolve, reject) => {
    const socket = open(url);
    let received = "";
    socket.setTimeout(10_000, () => socket.destroy(new Error(`the connection stays open: ${received.slice(0, 200)}`)));
    socket.on("data", (chunk) => (received += chunk.toString("latin1")));
    // The server may close before it has read everything: what it said before counts.
    socket.on("error", (error: NodeJS.ErrnoException) =>
      error.code === "EPIPE" || error.code === "ECONNRESET" ? resolve(received) : reject(error),
    );
    socket.on("close", () => resolve(received));
    socket.write(bytes);
  });
  const [head = "", ...rest] = all.split("\r\n\r\n");
  const [first = "", ...lines] = head.split("\r\n");
  const headers = new Map(lines.map((line) => [line.split(":")[0]!.toLowerCase(), line.replace(/^[^:]*: ?/, "")]));
  return { status: Number(first.split(" ")[1] ?? 0), headers, body: rest.join("\r\n\r\n"), all };
}

export function open(url: string): Socket {
  const { hostname, port } = new URL(url);
  return connect(Number(port), hostname);
}

/** The bytes of a request that ends its connection. */
export function bytesOf(line: string, headers: readonly string[] = [], body = ""): string {
  return [line, "Host: a", "Connection: close", ...headers, "", body].join("\r\n");
}

/** A problem like any other: with its code, its type and the headers of every answer. */
export function expectRefused({ status, headers, body }: RawAnswer, wanted = 400, code = "validation_failed"): void {
  expect([status, headers.get("content-type")]).toEqual([wanted, "application/problem+json; charset=utf-8"]);
  expect(JSON.parse(body)).toMatchObject({ status: wanted, code });
  expect(headers.get("x-content-type-options")).toBe("nosniff");
}

export const JSON_TYPE = "Content-Type: application/json";

/** The header by which a tenant says who it is. */
export function authOf({ key }: HttpTenant): string {
  return `Authorization: Bearer ${key}`;
}

/** A request of a tenant, byte by byte as given. */
export function sendAs(
  tenant: HttpTenant,
  line: string,
  headers: readonly string[] = [],
  body = "",
): Promise<RawAnswer> {
  return sendRaw(tenant.holdfast.url, bytesOf(line, [authOf(tenant), ...headers], body));
}
