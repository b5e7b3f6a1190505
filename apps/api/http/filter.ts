import { Catch, type ArgumentsHost, type ExceptionFilter } from "@nestjs/common";
import type { FastifyReply } from "fastify";
import type { LedgerLog } from "#libs/ledger";
import { Problem } from "../problems/problem.js";
import { problemOf } from "../problems/translate.js";
import { sendProblem } from "./answer.js";
import { loggedPath } from "./logged.js";

/** Answers every exception as a problem; only a fault of the service itself is a 500, and is logged. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  constructor(private readonly log: LedgerLog) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    if (reply.sent) return;
    sendProblem(reply, problemOf(error) ?? this.fault(error, reply));
  }

  private fault(error: unknown, { request }: FastifyReply): Problem {
    this.log.error({ err: error, method: request.method, path: loggedPath(request) }, "a request failed");
    return new Problem("internal", "This is a fault of the service, and was logged.");
  }
}
