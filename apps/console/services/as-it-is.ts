import { ApiProblem, call } from "../api/call.js";

interface Set {
  readonly updatedAt: string;
}

/** What is set at the path now; null where nothing is. @throws what `call` throws, except for a 404. */
async function asItIs(key: string, path: string): Promise<Set | null> {
  try {
    return await call<Set>(key, "GET", path);
  } catch (error) {
    if (error instanceof ApiProblem && error.status === 404) return null;
    throw error;
  }
}

/**
 * The request replaces all that is set, so it must not mean what somebody else set since the form was opened.
 * `opened`: what was set then; undefined for a form that makes something new.
 * @throws ApiProblem where another thing is set now.
 */
export async function orConflict(key: string, path: string, name: string, opened: Set | undefined): Promise<void> {
  const now = await asItIs(key, path);
  if (now?.updatedAt === opened?.updatedAt) return;
  if (opened) {
    const detail = `The settings of ${name} were changed since this form was opened: go back and open it again.`;
    throw new ApiProblem(409, "conflict", detail, null, {});
  }
  const errors = [{ pointer: "/service", message: "is set already" }];
  throw new ApiProblem(409, "conflict", `${name} is set already: edit it where it stands.`, null, { errors });
}
