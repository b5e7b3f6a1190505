import type { Command, Ledger, LedgerLog, Outcome } from "#libs/ledger";
import { isId } from "../http/params.js";
import { useOf } from "../idempotency/key.js";
import { createJobCommand, createJobRequest, type JobLimits } from "../jobs/create.js";
import { invalid, notFound, Problem, problemBody, refusalBody } from "../problems/problem.js";
import { kindOf } from "../problems/table.js";
import { problemOf } from "../problems/translate.js";
import { chargeCommand, chargeRequest } from "../reservations/charge.js";
import { reserveCommand, reserveRequest } from "../reservations/reserve.js";
import { validatorOf } from "../validation/compile.js";
import {
  OPERATIONS,
  type ChargeOperation,
  type CreateJobOperation,
  type Operation,
  type ReserveOperation,
} from "./batch.dto.js";
import type { OperationResult } from "./batch.view.js";

/** The path that the problems of single operations name. */
const INSTANCE = "/v1/batch";

/** Runs operations, each decided on its own, as its own route would. */
export class BatchRunner {
  constructor(
    private readonly ledger: Ledger,
    private readonly limits: JobLimits,
    private readonly log: LedgerLog,
  ) {}

  /** All are handed to the ledger before the first answer, so that they share its commits. */
  run(tenantId: string, operations: readonly unknown[]): Promise<OperationResult[]> {
    return Promise.all(operations.map((operation) => this.result(tenantId, operation)));
  }

  private async result(tenantId: string, given: unknown): Promise<OperationResult> {
    try {
      const operation = checked(given);
      const command = commandOf(tenantId, operation, this.limits);
      const outcome = await (command.type === "reserve" ? this.ledger.reserve(command) : this.ledger.execute(command));
      return resultOf(outcome, createsSomething(command) ? 201 : 200);
    } catch (error) {
      return problemResult(problemOf(error) ?? this.fault(error));
    }
  }

  private fault(error: unknown): Problem {
    this.log.error({ err: error, path: INSTANCE }, "an operation of a batch failed");
    return new Problem("internal", "This is a fault of the service, and was logged.");
  }
}

function checked(given: unknown): Operation {
  const op = (given as { op?: unknown } | null)?.op;
  if (typeof op !== "string" || !Object.hasOwn(OPERATIONS, op)) {
    throw invalid([{ pointer: "/op", message: `must be one of ${Object.keys(OPERATIONS).join(", ")}` }]);
  }
  const errors = validatorOf(OPERATIONS[op as keyof typeof OPERATIONS])(given);
  if (errors.length > 0) throw invalid(errors);
  return given as Operation;
}

function commandOf(tenantId: string, operation: Operation, limits: JobLimits): Command {
  switch (operation.op) {
    case "reserve":
      return reserveOf(tenantId, operation);
    case "createJob":
      return createJobOf(tenantId, operation, limits);
    case "settle":
      return { type: "settle", tenantId, reservationId: reservationIdOf(operation), actual: operation.actual };
    case "charge":
      return chargeOf(tenantId, operation);
    case "release":
      return { type: "release", tenantId, reservationId: reservationIdOf(operation) };
    case "extend":
      return { type: "extend", tenantId, reservationId: reservationIdOf(operation), ttlMs: operation.ttlMs };
    case "closeJob":
      return { type: "endJob", tenantId, jobId: jobIdOf(operation), state: "closed" };
    case "cancelJob":
      return { type: "endJob", tenantId, jobId: jobIdOf(operation), state: "cancelled" };
  }
}

/** The body is what the route would have got, so that both ways under one key are the same request. */
function reserveOf(tenantId: string, operation: ReserveOperation): Command {
  const { op: _, jobId: __, idempotencyKey, ...body } = operation;
  const jobId = jobIdOf(operation);
  const key = body.dryRun ? null : useOf(required(idempotencyKey), "t", reserveRequest(jobId, body));
  return reserveCommand(tenantId, jobId, body, key);
}

function chargeOf(tenantId: string, operation: ChargeOperation): Command {
  const { op: _, reservationId: __, idempotencyKey, ...body } = operation;
  const id = reservationIdOf(operation);
  return chargeCommand(tenantId, id, body, useOf(required(idempotencyKey), "t", chargeRequest(id, body)));
}

function createJobOf(
  tenantId: string,
  { op: _, idempotencyKey, ...body }: CreateJobOperation,
  limits: JobLimits,
): Command {
  return createJobCommand(tenantId, body, limits, useOf(required(idempotencyKey), "t", createJobRequest(body)));
}

function required(idempotencyKey: string | undefined): string {
  if (idempotencyKey !== undefined) return idempotencyKey;
  throw new Problem("idempotency_key_missing", "This operation needs the field idempotencyKey.");
}

function jobIdOf({ jobId }: { jobId: string }): string {
  if (!isId("job", jobId)) throw notFound("job");
  return jobId;
}

function reservationIdOf({ reservationId }: { reservationId: string }): string {
  if (!isId("reservation", reservationId)) throw notFound("reservation");
  return reservationId;
}

function createsSomething(command: Command): boolean {
  return command.type === "reserve" ? !command.dryRun : command.type === "createJob" || command.type === "charge";
}

function resultOf(outcome: Outcome, status: 200 | 201): OperationResult {
  if (outcome.type === "done") {
    return { status, body: outcome.answer, ...(outcome.replayed && { replayed: true }) };
  }
  const { refusal } = outcome;
  return { status: kindOf(refusal.code).status, body: refusalBody(refusal, INSTANCE) };
}

function problemResult({ code, detail, errors }: Problem): OperationResult {
  return { status: kindOf(code).status, body: problemBody(code, { detail, errors }, INSTANCE) };
}
