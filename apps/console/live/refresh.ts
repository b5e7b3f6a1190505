import type { Query, QueryClient } from "@tanstack/react-query";
import { topicsOf } from "./topics.js";

/** Shortest time between two rounds of questions: what changes all the time is not asked for all the time. */
const PAUSE_MS = 2_000;
/** How the keys begin of what is pushed, and need not be asked for after a gap. */
export const NOW_OF = "now of ";
/** A list of more pages than this is not asked for again by itself: it would cost a request each. */
export const REFRESHED_PAGES = 2;

/** Asks again for what is shown once it is told that it has changed. */
export class Refresh {
  private readonly topics = new Set<string>();
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly queries: QueryClient) {}

  /** Everything, whatever it depends on. */
  all(): void {
    this.topics.clear();
    const isAsked = (query: Query): boolean => isShort(query) && !String(query.queryKey[0]).startsWith(NOW_OF);
    void this.queries.invalidateQueries({ predicate: isAsked }, { cancelRefetch: true });
  }

  of(topics: readonly string[]): void {
    topics.forEach((topic) => this.topics.add(topic));
    if (this.timer === undefined && this.topics.size > 0) this.ask();
  }

  close(): void {
    clearTimeout(this.timer);
    this.topics.clear();
  }

  private ask(): void {
    const told = [...this.topics];
    this.topics.clear();
    const isOld = (query: Query): boolean => {
      const concerns = topicsOf(String(query.queryKey[0])).filter((topic) => told.includes(topic));
      if (concerns.length === 0 || !isShort(query)) return false;
      // An answer that is under way may be from before the change, and one that is slow must be let arrive.
      if (query.state.fetchStatus === "fetching") concerns.forEach((topic) => this.topics.add(topic));
      return true;
    };
    void this.queries.invalidateQueries({ predicate: isOld }, { cancelRefetch: false });
    this.timer = setTimeout(() => {
      this.timer = undefined;
      if (this.topics.size > 0) this.ask();
    }, PAUSE_MS);
  }
}

function isShort({ state }: Query): boolean {
  const { pages } = (state.data ?? {}) as { pages?: readonly unknown[] };
  return pages === undefined || pages.length <= REFRESHED_PAGES;
}
