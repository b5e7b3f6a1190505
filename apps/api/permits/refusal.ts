import type { PermitRequest, Refusal } from "#libs/flow";
import { invalid, Problem, type ShedScope } from "../problems/problem.js";

/** Where even waiting does not help and the rule is no limit of a service. */
const LONG_S = 60;

type Asked = Pick<PermitRequest, "service" | "tenantId" | "jobId" | "reservationId" | "cost" | "child" | "attempts">;

/** A refusal of flow control as the problem that says so. */
export function refusalProblem({ reason, scope, retryAfterMs }: Refusal, asked: Asked): Problem {
  const { service, child, attempts } = asked;
  const at = { kind: scope, id: idOf(scope, asked) } as const;
  const where = scope === "tenant" ? `service ${service?.name} for this tenant` : `service ${service?.name}`;
  if (reason === "attempts_exhausted") {
    const detail = `Child ${child} has started all of its ${attempts} attempts.`;
    return new Problem(reason, detail, undefined, { scope: at });
  }
  if (reason === "cost_exceeds_burst") return never("/cost", `is above the burst of ${where}, so it can never pass`);
  if (retryAfterMs === null && reason !== "retry_budget_exhausted")
    return never("/service", `names a service that lets nothing through: ${where}`);
  const retryAfter = retryAfterMs === null ? LONG_S : Math.max(1, Math.ceil(retryAfterMs / 1_000));
  return new Problem(reason, `${SENTENCES[reason](where)} in ${retryAfter} s.`, undefined, { scope: at, retryAfter });
}

const SENTENCES = {
  rate_limited: (where: string) => `The rate of ${where} is used up: ask again`,
  concurrency_limited: (where: string) => `All places of ${where} are taken: ask again`,
  retry_budget_exhausted: () => "The job has started as many retries as its first attempts allow: ask again",
  queue_full: (where: string) => `Others wait for ${where}, and there is no place to wait: ask again`,
  breaker_open: (where: string) => `The breaker of ${where} is open: ask again`,
} as const;

function idOf(scope: ShedScope["kind"], { service, tenantId, jobId, reservationId }: Asked): string {
  return { service: service?.name ?? "", tenant: tenantId, job: jobId, reservation: reservationId }[scope];
}

function never(pointer: string, message: string): Problem {
  return invalid([{ pointer, message }]);
}
