import { applyDecorators, HttpCode, type Type } from "@nestjs/common";
import { ApiExtraModels, ApiHeader, ApiOperation, ApiResponse, getSchemaPath } from "@nestjs/swagger";
import { kindOf, type ProblemCode } from "../problems/table.js";
import { DenialProblemView, ProblemView, ShedProblemView } from "./problem.view.js";

interface Described {
  readonly summary: string;
  readonly description?: string;
  readonly status?: 200 | 201;
  /** The class of the answer, or of the rows of the list that it is. */
  readonly answer: Type;
  readonly list?: true;
  /** An idempotency key: required, or only where the request changes something. */
  readonly key?: "required" | "unless dry run";
  /** What this route is refused with, besides what every route is. */
  readonly problems?: readonly ProblemCode[];
}

const ALWAYS: readonly ProblemCode[] = [
  "validation_failed",
  "unauthenticated",
  "forbidden",
  "not_found",
  "ledger_unavailable",
  "shutting_down",
];
/** Where a problem says what refused. */
const SHEDDING: readonly ProblemCode[] = ["rate_limited", "queue_full", "breaker_open"];
const KEYED: readonly ProblemCode[] = ["idempotency_key_missing", "idempotency_key_reused"];

/** One route as OpenAPI shows it, and its status. */
export function Operation(described: Described): MethodDecorator {
  const { summary, description, status = 200, answer, list = false, key, problems = [] } = described;
  const codes = [...ALWAYS, ...(key ? KEYED : []), ...problems];
  return applyDecorators(
    HttpCode(status),
    ApiOperation({ summary, ...(description !== undefined && { description }) }),
    ApiExtraModels(answer, ProblemView, DenialProblemView, ShedProblemView),
    ApiResponse({
      status,
      description: summary,
      schema: list ? listSchema(answer) : refTo(answer),
      ...(key && { headers: REPLAYED }),
    }),
    ...(key ? [keyHeader(key)] : []),
    ...problemResponses(codes),
  );
}

/** A route that answers with server-sent events, for as long as both sides like. */
export function StreamOperation({ summary, description }: Pick<Described, "summary" | "description">): MethodDecorator {
  return applyDecorators(
    ApiOperation({ summary, ...(description !== undefined && { description }) }),
    ApiExtraModels(ProblemView, ShedProblemView),
    ApiResponse({
      status: 200,
      description: summary,
      content: { "text/event-stream": { schema: { type: "string" } } },
    }),
    ...problemResponses([...ALWAYS, "queue_full"]),
  );
}

const REPLAYED = {
  "Idempotency-Replayed": {
    description: "`true` where this is the first answer to the same request again.",
    schema: { type: "string" as const },
  },
};

const RETRY_AFTER = {
  "Retry-After": { description: "Whole seconds, at least 1.", schema: { type: "integer" as const } },
};

function keyHeader(key: "required" | "unless dry run"): MethodDecorator & ClassDecorator {
  return ApiHeader({
    name: "Idempotency-Key",
    required: key === "required",
    description:
      key === "required"
        ? "Names this request: sent again, it has no second effect and the same answer."
        : "Names this request: sent again, it has no second effect and the same answer. Required unless `dryRun`.",
    schema: { type: "string", pattern: "^[\\x21-\\x7e]{1,255}$" },
  });
}

function refTo(type: Type): { $ref: string } {
  return { $ref: getSchemaPath(type) };
}

function listSchema(row: Type) {
  return {
    type: "object" as const,
    required: ["data", "nextCursor"],
    properties: {
      data: { type: "array" as const, items: refTo(row) },
      nextCursor: { type: ["string", "null"] as unknown as "string", description: "null on the last page." },
    },
  };
}

function viewOf(codes: readonly ProblemCode[]): Type {
  if (codes.some((code) => kindOf(code).status === 402)) return DenialProblemView;
  return codes.some((code) => SHEDDING.includes(code)) ? ShedProblemView : ProblemView;
}

function problemResponses(codes: readonly ProblemCode[]): MethodDecorator[] {
  const statuses = [...new Set(codes.map((code) => kindOf(code).status))].sort((a, b) => a - b);
  return statuses.map((status) => {
    const own = codes.filter((code) => kindOf(code).status === status);
    return ApiResponse({
      status,
      description: own.map((code) => `\`${code}\``).join(", "),
      content: { "application/problem+json": { schema: refTo(viewOf(own)) } },
      ...([429, 503].includes(status) && { headers: RETRY_AFTER }),
    });
  });
}
