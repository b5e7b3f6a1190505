import type { FastifyReply } from "fastify";
import type { Outcome } from "#libs/ledger";
import { problemBody, problemHeaders, refusalBody, type Problem } from "../problems/problem.js";
import { kindOf } from "../problems/table.js";
import { pathOf } from "./request.js";

/**
 * Turns the ledger's outcome into the answer: what was done goes out with `status`, a replay with the same one. Returns
 * the body, so that a controller can hand it on. A refusal is no exception, since denials are the hottest answers.
 */
export function answer(reply: FastifyReply, outcome: Outcome, status: 200 | 201): object {
  if (outcome.type === "done") {
    reply.code(status);
    if (outcome.replayed) reply.header("idempotency-replayed", "true");
    return outcome.answer;
  }
  const { refusal } = outcome;
  reply.code(kindOf(refusal.code).status).headers(problemHeaders(refusal.code));
  return refusalBody(refusal, pathOf(reply.request));
}

export function sendProblem(reply: FastifyReply, { code, detail, errors, shed }: Problem): void {
  const body = problemBody(code, { detail, errors, shed }, pathOf(reply.request));
  void reply.code(kindOf(code).status).headers(problemHeaders(code, shed)).send(body);
}
