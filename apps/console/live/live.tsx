import { useQueryClient, type QueryClient } from "@tanstack/react-query";
import { createContext, useContext, useEffect, useState, type ReactNode } from "react";
import { useSessions } from "../api/session.js";
import type { ServiceDetail } from "../api/types.js";
import { LiveLink, type LiveState } from "./link.js";
import { NOW_OF, Refresh } from "./refresh.js";
import { topicsOf } from "./topics.js";

/** Shortest time between two questions while nobody tells of changes: there may be many who ask. */
const SLOW_MS = 10_000;
/** Of what a tenant is told. */
const OWN_TOPICS = ["tenants", "jobs", "ledger", "denials"];

const Context = createContext<LiveState>("polling");

/** How a service stands; `pushed`: it comes by itself whenever it changes. */
export type ServiceNow = ServiceDetail["live"] & { readonly pushed?: true };

export const nowKey = (service: string): readonly [string] => [NOW_OF + service];

/** Whether changes are told, to whoever is signed in. */
export function useLive(): LiveState {
  return useContext(Context);
}

/** How often to ask for a path again: not at all while changes of it are told, and slowly where they should be. */
export function useInterval(path: string, refreshMs: number | undefined): number | false {
  const state = useLive();
  const { session } = useSessions();
  if (refreshMs === undefined) return false;
  const isTold = topicsOf(path).some((topic) => session?.kind === "admin" || OWN_TOPICS.includes(topic));
  if (!isTold) return refreshMs;
  return state === "live" ? false : Math.max(refreshMs, SLOW_MS);
}

/** Holds the stream of events of whoever is signed in, and has what is shown asked for again when it has changed. */
export function LiveProvider({ children }: { readonly children: ReactNode }) {
  const { session } = useSessions();
  const queries = useQueryClient();
  const [state, setState] = useState<LiveState>("polling");
  useEffect(() => {
    if (session === null) return;
    const refresh = new Refresh(queries);
    const path = session.kind === "admin" ? "/v1/admin/events" : "/v1/events";
    const onTold = (event: string, data: unknown): void => hear(event, data, queries, refresh);
    const link = new LiveLink({ key: session.key, path, onState: setState, onTold });
    return () => {
      link.close();
      refresh.close();
      setState("polling");
    };
  }, [session, queries]);
  return <Context value={state}>{children}</Context>;
}

function hear(event: string, data: unknown, queries: QueryClient, refresh: Refresh): void {
  const {
    topics = [],
    services = [],
    code,
  } = data as {
    code?: string;
    topics?: readonly string[];
    services?: readonly { readonly name: string; readonly live: ServiceNow }[];
  };
  if (event === "changed") refresh.of(topics);
  // What is shown was asked for with a key that is no longer known: the answers say so, and offer another.
  if (event === "end" && code === "unauthenticated") refresh.all();
  // While the record was away, what was asked for failed.
  if (event === "everything" || event === "available") refresh.all();
  if (event === "unavailable") refresh.of(["reconcile"]);
  for (const { name, live } of services) queries.setQueryData<ServiceNow>(nowKey(name), { ...live, pushed: true });
}
