import { ApiProblem, call } from "../api/call.js";

/** Whether there is something at the path. @throws what `call` throws, except for a 404. */
export async function isThere(key: string, path: string): Promise<boolean> {
  try {
    await call(key, "GET", path);
    return true;
  } catch (error) {
    if (error instanceof ApiProblem && error.status === 404) return false;
    throw error;
  }
}
