import type { IncomingHttpHeaders } from "node:http";
import type { FastifyInstance } from "fastify";
import { sendProblem } from "../http/answer.js";
import { problemOf } from "../problems/translate.js";
import type { Authenticator } from "./authenticator.js";

/** More than almost every request has; a body of this size is parsed in well under a millisecond. */
const FREE_BYTES = 16 * 1024;

/**
 * Bodies are parsed before a route's guard asks for the key. A small one costs less than to ask twice; a large one is not
 * even read for whoever has no valid key, since parsing it can take a large part of a second.
 */
export function readLargeBodiesForKeysOnly(server: FastifyInstance, authenticator: Authenticator): void {
  // With a callback: the many small requests are not to cost a promise each.
  server.addHook("onRequest", (request, reply, done) => {
    if (!mayBeLarge(request.headers)) return done();
    const refuse = (error: unknown): void => {
      const problem = problemOf(error);
      if (problem) sendProblem(reply, problem);
      else done(error as Error);
    };
    void (async () => authenticator.callerOf(request.headers.authorization))().then(() => done(), refuse);
  });
}

/** One in chunks does not say how large it will be. */
function mayBeLarge(headers: IncomingHttpHeaders): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > FREE_BYTES;
}
