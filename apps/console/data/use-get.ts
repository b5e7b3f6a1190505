import { useMutation, useQuery, useQueryClient, type UseQueryResult } from "@tanstack/react-query";
import { call, type CallOptions, type Method } from "../api/call.js";
import { useSessions } from "../api/session.js";
import { useInterval } from "../live/live.js";

/** The key of whoever is signed in; pages that use it are only shown then. */
export function useKey(): string {
  const { session } = useSessions();
  if (session === null) throw new Error("nobody is signed in");
  return session.key;
}

/** One GET, asked again when it is told that it has changed; while nobody tells, every `refreshMs` or less often. */
export function useGet<T>(path: string, refreshMs?: number): UseQueryResult<T> {
  const key = useKey();
  return useQuery({
    queryKey: [path],
    queryFn: ({ signal }) => call<T>(key, "GET", path, { signal }),
    refetchInterval: useInterval(path, refreshMs),
  });
}

export interface Act extends Pick<CallOptions, "body" | "idempotencyKey"> {
  readonly method: Method;
  readonly path: string;
}

/**
 * A request that is made when somebody wants it. After one that changes something, everything on the page is asked for
 * again, since most figures hang together.
 */
export function useAct<T>({ changes = true }: { readonly changes?: boolean } = {}) {
  const key = useKey();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ method, path, ...options }: Act) => call<T>(key, method, path, options),
    onSuccess: () => (changes ? queries.invalidateQueries() : undefined),
  });
}

/** A path with the parameters that are set. */
export function withQuery(path: string, params: Readonly<Record<string, string | null | undefined>>): string {
  const set = Object.entries(params).filter((pair): pair is [string, string] => Boolean(pair[1]));
  return set.length === 0 ? path : `${path}?${new URLSearchParams(set).toString()}`;
}
