import { HttpException } from "@nestjs/common";
import { FlowClosed } from "#libs/flow";
import { LedgerUnavailable, ShuttingDown } from "#libs/ledger";
import { isRecordUnavailable } from "../record/unavailable.js";
import { invalid, Problem } from "./problem.js";

/** What the server says when it could not even read a request, by Fastify's own codes. */
const READING: Readonly<Record<string, string>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: "must be at most 2 MiB",
  FST_ERR_CTP_INVALID_MEDIA_TYPE:
    "must be JSON, sent with the header Content-Type: application/json and without Content-Encoding",
  FST_ERR_CTP_INVALID_JSON_BODY: "must be valid JSON in UTF-8",
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: "must be as long as its Content-Length says",
};

/** The problem that an error is answered with; null where it is a fault of the service itself. */
export function problemOf(error: unknown): Problem | null {
  if (error instanceof Problem) return error;
  if (error instanceof ShuttingDown || error instanceof FlowClosed)
    return new Problem("shutting_down", "This process is stopping: send the request again.");
  if (error instanceof LedgerUnavailable || isRecordUnavailable(error)) {
    return new Problem(
      "ledger_unavailable",
      "The record cannot be reached: send the request again, with the same key.",
    );
  }
  return readingProblem(error);
}

/** What Fastify and Nest found wrong before a route was reached; Nest wraps what Fastify says. */
function readingProblem(error: unknown): Problem | null {
  const { statusCode: status, code } = error instanceof HttpException ? wrapped(error) : clues(error);
  if (code === "FST_ERR_BAD_URL") return new Problem("validation_failed", "The path is not a valid URL.");
  if (status === 404 || code === "FST_ERR_MAX_PARAM_LENGTH")
    return new Problem("not_found", "There is nothing at this path.");
  if (typeof status !== "number" || status < 400 || status >= 500) return null;
  return invalid([{ pointer: "", message: READING[String(code)] ?? "could not be read" }]);
}

interface Clues {
  readonly statusCode?: unknown;
  readonly code?: unknown;
}

function wrapped(error: HttpException): Clues {
  return { statusCode: error.getStatus(), code: clues(error.cause).code };
}

function clues(error: unknown): Clues {
  return error instanceof Error ? (error as Clues) : {};
}
