import * as http from "node:http";
import * as https from "node:https";
import type { LookupFunction } from "node:net";
import { SIGNATURE_HEADER, signatureHeader } from "./sign.js";
import { allowedAddresses, allows, ForbiddenAddress, urlProblem, type TargetRules } from "./target.js";

/** Of an answer only the status counts: so much of the rest is read, so that the receiver can end it in peace. */
const MOST_ANSWER_BYTES = 16_384;

export interface Message {
  readonly url: string;
  readonly body: string;
  /** Those valid now: one, or while it is rotated two. */
  readonly secrets: readonly string[];
  readonly deliveryId: string;
  readonly eventId: string;
}

export interface SendOptions {
  readonly rules: TargetRules;
  /** For the whole attempt, milliseconds. */
  readonly timeoutMs: number;
  /** The process stops. */
  readonly signal?: AbortSignal;
}

/** What became of an attempt. `error` tells an operator why it failed, and never what the receiver said. */
export interface Sent {
  readonly delivered: boolean;
  readonly status: number | null;
  readonly error: string | null;
}

/**
 * Makes one attempt: a POST over a connection of its own, to an address that was checked after it was looked up. Redirects
 * are not followed, since they would lead to what nobody checked. Delivered is what was answered 2xx in time.
 * @throws the signal's reason where the process stops; nothing else.
 */
export async function send(message: Message, { rules, timeoutMs, signal }: SendOptions): Promise<Sent> {
  const deadline = AbortSignal.timeout(timeoutMs);
  try {
    const status = await post(message, rules, signal ? AbortSignal.any([deadline, signal]) : deadline);
    if (status >= 200 && status < 300) return { delivered: true, status, error: null };
    const error = status >= 300 && status < 400 ? `a redirect (${status}) is not followed` : `answered ${status}`;
    return { delivered: false, status, error };
  } catch (error) {
    signal?.throwIfAborted();
    return {
      delivered: false,
      status: null,
      error: deadline.aborted ? `no answer in ${timeoutMs} ms` : reasonOf(error),
    };
  }
}

async function post(
  { url: text, body, ...message }: Message,
  rules: TargetRules,
  signal: AbortSignal,
): Promise<number> {
  // The rules may have become stricter since it was set.
  const problem = urlProblem(text, rules);
  if (problem !== null) throw new ForbiddenAddress(`the URL ${problem}`);
  const url = new URL(text);
  const { request } = url.protocol === "https:" ? https : http;
  const lookup = pinned(rules);
  const headers = {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(body),
    "user-agent": "Holdfast-Webhooks",
    "holdfast-event-id": message.eventId,
    "holdfast-delivery-id": message.deliveryId,
    [SIGNATURE_HEADER]: signatureHeader(message.secrets, Date.now(), body),
  };
  return new Promise((resolve, reject) => {
    // No agent: no connection is kept, so each attempt is looked up and checked anew.
    const sending = request(url, { method: "POST", agent: false, headers, lookup, signal });
    sending.once("error", reject);
    // A receiver that answers with another protocol ends the connection without an error.
    sending.once("close", () => reject(new Error("closed")));
    sending.once("socket", (socket) =>
      socket.once("connect", () => {
        if (!allows(rules, socket.remoteAddress ?? "")) sending.destroy(new ForbiddenAddress("the address is private"));
      }),
    );
    sending.once("response", (answer) => {
      resolve(answer.statusCode!);
      drain(answer);
    });
    sending.end(body);
  });
}

/** Connects to what was looked up and checked just now. An address in the URL is not looked up: `urlProblem` has seen it. */
function pinned(rules: TargetRules): LookupFunction {
  return (host, options, done) => {
    allowedAddresses(host, rules).then(
      (found) => (options.all ? done(null, found) : done(null, found[0]!.address, found[0]!.family)),
      (error: Error) => done(error, ""),
    );
  };
}

/** The deadline of the attempt ends this as well. */
function drain(answer: http.IncomingMessage): void {
  let bytes = 0;
  answer.on("error", () => undefined);
  answer.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > MOST_ANSWER_BYTES) answer.destroy();
  });
}

/** Codes and fixed texts alone: other messages might repeat what is in the URL. */
function reasonOf(error: unknown): string {
  if (error instanceof ForbiddenAddress) return error.message;
  const first = error instanceof AggregateError ? (error.errors[0] as unknown) : error;
  const code = (first as NodeJS.ErrnoException | undefined)?.code;
  return code === undefined ? "the connection failed" : `the connection failed: ${code}`;
}
