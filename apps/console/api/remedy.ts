import { ApiProblem, Unreachable } from "./call.js";

export interface Explained {
  readonly title: string;
  readonly detail: string;
  /** What a person can do about it. */
  readonly remedy: string;
  /** Only a new key helps. */
  readonly signIn: boolean;
}

const REMEDIES: Readonly<Record<string, string>> = {
  unauthenticated: "Sign in with a key that is valid: it may have been revoked.",
  forbidden: "This needs another key: sign in with the operator's key.",
  allowance_exhausted: "Wait until something settles or returns, plan fewer children, or have the allowance raised.",
  exceeds_limit: "It can never fit: plan less, or have the limit raised.",
  not_found: "It may have been deleted, or belongs to another tenant.",
  validation_failed: "Correct what is named and send it again.",
  ledger_unavailable:
    "The record cannot be reached. Try again in a moment: whether a change took effect is not known until then.",
  shutting_down: "This process is stopping; try again in a moment.",
  conflict: "The present state does not allow it. If what you see may be old, load the page again.",
};

/** What happened and what to do, for any error of a call. */
export function explain(error: unknown): Explained {
  if (error instanceof Unreachable) {
    return {
      title: "The connection was lost",
      detail: error.message,
      remedy: "Check that the service runs and try again; what you typed is still here.",
      signIn: false,
    };
  }
  if (!(error instanceof ApiProblem)) {
    return {
      title: "Something went wrong in this page",
      detail: error instanceof Error ? error.message : String(error),
      remedy: "Load the page again.",
      signIn: false,
    };
  }
  const { status, code, message, retryAfterS } = error;
  const wait = retryAfterS === null ? "" : ` Try again after ${retryAfterS} s.`;
  return {
    title: `${status} ${code.replaceAll("_", " ")}`,
    detail: message,
    remedy: (REMEDIES[code] ?? "Look the code up in the reference of errors (/docs/errors).") + wait,
    signIn: status === 401 || code === "forbidden",
  };
}
