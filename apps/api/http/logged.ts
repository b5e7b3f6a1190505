import type { FastifyRequest } from "fastify";
import { ULID_PATTERN } from "../openapi/schemas.js";

const ID = new RegExp(`^[a-z]{3}_${ULID_PATTERN}$`);

/**
 * The path for a log line: the route with the ids that it was called with. Anything else that a client put into its path
 * may be a key in the wrong place or somebody's name.
 */
export function loggedPath({ routeOptions: { url }, params }: Pick<FastifyRequest, "routeOptions" | "params">): string {
  if (url === undefined) return "no route";
  const given = params as Readonly<Record<string, string | undefined>>;
  return url.replace(/:(\w+)/g, (name, param: string) => (ID.test(given[param] ?? "") ? given[param]! : name));
}

interface LoggedError {
  readonly type: string;
  readonly message: string;
  readonly stack: string;
  readonly [member: string]: string;
}

/** An error for a log line. Drivers hang whole commands, rows and clients on theirs, with passwords and keys in them. */
export function loggedError(error: unknown): LoggedError {
  if (!(error instanceof Error)) return { type: typeof error, message: "not an error", stack: "" };
  const { name, message, stack = "" } = error;
  const { code } = error as { code?: unknown };
  return { type: name, message, stack, ...(typeof code === "string" && { code }) };
}
