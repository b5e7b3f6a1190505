import { useInfiniteQuery } from "@tanstack/react-query";
import { call } from "../api/call.js";
import type { Page } from "../api/types.js";
import { useInterval } from "../live/live.js";
import { REFRESHED_PAGES } from "../live/refresh.js";
import { useKey, withQuery } from "./use-get.js";

const PAGE_ROWS = "100";

export type Params = Readonly<Record<string, string | null | undefined>>;

/** A list of the API, page after page. */
export function usePages<T>(path: string, params: Params = {}, refreshMs?: number) {
  const key = useKey();
  const interval = useInterval(path, refreshMs);
  return useInfiniteQuery({
    queryKey: [path, params],
    queryFn: ({ pageParam, signal }) =>
      call<Page<T>>(key, "GET", withQuery(path, { ...params, limit: PAGE_ROWS, cursor: pageParam }), { signal }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) <= REFRESHED_PAGES ? interval : false),
  });
}

/** All rows of a list, up to `most`; `whole` is false where there are more. */
export async function allRows<T>(
  key: string,
  path: string,
  params: Params,
  most: number,
): Promise<{ rows: T[]; whole: boolean }> {
  const rows: T[] = [];
  let cursor: string | null = null;
  do {
    const page: Page<T> = await call<Page<T>>(key, "GET", withQuery(path, { ...params, limit: "500", cursor }));
    rows.push(...page.data);
    cursor = page.nextCursor;
  } while (cursor !== null && rows.length < most);
  return { rows: rows.slice(0, most), whole: cursor === null && rows.length <= most };
}
