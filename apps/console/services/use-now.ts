import { useQuery } from "@tanstack/react-query";
import { call } from "../api/call.js";
import type { ServiceDetail } from "../api/types.js";
import { useKey } from "../data/use-get.js";
import { nowKey, useLive, type ServiceNow } from "../live/live.js";

/** Where it is not pushed, it is asked for every so often, milliseconds. */
const ASKED_MS = 10_000;

/** How a service stands now: pushed, and asked for once where nothing was pushed yet. */
export function useNow(service: string) {
  const key = useKey();
  const state = useLive();
  return useQuery<ServiceNow>({
    queryKey: nowKey(service),
    queryFn: async ({ signal }) => {
      const path = `/v1/admin/services/${encodeURIComponent(service)}`;
      return (await call<ServiceDetail>(key, "GET", path, { signal })).live;
    },
    refetchInterval: ({ state: { data } }) => (state === "live" && data?.pushed ? false : ASKED_MS),
  });
}
