import type { SentEvent } from "#libs/client";
import { ApiProblem } from "../api/call.js";
import { listen } from "./listen.js";

/** `live`: changes are told. `reconnecting`: the stream broke. `polling`: there is none to be had, for now. */
export type LiveState = "live" | "reconnecting" | "polling";

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;
/** After so many tries in a row there seems to be no stream to be had; it goes on trying. */
const TRIES_TO_RECONNECT = 4;

export interface LinkOptions {
  readonly key: string;
  readonly path: string;
  readonly onState: (state: LiveState) => void;
  readonly onTold: (event: string, data: unknown) => void;
}

/**
 * Keeps the one stream of events of a tab, while the tab is looked at: browsers allow few connections to one origin, and
 * tabs in the background are not to use them up.
 */
export class LiveLink {
  private readonly stopping = new AbortController();
  private lastId: string | undefined;
  private tries = 0;

  constructor(private readonly options: LinkOptions) {
    void this.keep();
  }

  close(): void {
    this.stopping.abort();
  }

  private async keep(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      await visible(signal);
      const hidden = new AbortController();
      const onHidden = (): void => void (document.hidden && hidden.abort());
      document.addEventListener("visibilitychange", onHidden);
      try {
        await this.listenOnce(AbortSignal.any([signal, hidden.signal]));
        // It ended in order: the process stops, or the key does, and the next answer will say so.
        if (!hidden.signal.aborted && !signal.aborted) await this.failed(null);
      } catch (error) {
        if (!hidden.signal.aborted && !signal.aborted) await this.failed(error);
      } finally {
        document.removeEventListener("visibilitychange", onHidden);
      }
    }
  }

  private listenOnce(signal: AbortSignal): Promise<void> {
    const { key, path, onState } = this.options;
    return listen(key, path, {
      signal,
      lastId: this.lastId,
      onOpen: () => {
        this.tries = 0;
        onState("live");
      },
      onTold: (told) => this.take(told),
    });
  }

  private take({ event, data, id }: SentEvent): void {
    this.lastId = id ?? this.lastId;
    this.options.onTold(event, JSON.parse(data));
  }

  private async failed(error: unknown): Promise<void> {
    this.tries += 1;
    const refusal = error instanceof ApiProblem ? error : null;
    const isLost = refusal === null && this.tries < TRIES_TO_RECONNECT;
    this.options.onState(isLost ? "reconnecting" : "polling");
    await pause(pauseAfter(this.tries, refusal), this.stopping.signal);
  }
}

/** Longer with each try, and by chance, so that the tabs of many people do not come back together. */
function pauseAfter(tries: number, refusal: ApiProblem | null): number {
  const longest = Math.min(FIRST_PAUSE_MS * 2 ** (tries - 1), LONGEST_PAUSE_MS);
  const asked = (refusal?.retryAfterS ?? 0) * 1_000;
  return Math.max(longest * (0.5 + Math.random() / 2), asked, isFinal(refusal) ? LONGEST_PAUSE_MS : 0);
}

/** A key that opens no stream will hardly open one soon. */
function isFinal(refusal: ApiProblem | null): boolean {
  return refusal !== null && refusal.status < 500;
}

function visible(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const look = (): void => {
      if (document.hidden && !signal.aborted) return;
      document.removeEventListener("visibilitychange", look);
      resolve();
    };
    document.addEventListener("visibilitychange", look);
    signal.addEventListener("abort", look, { once: true });
    look();
  });
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => (clearTimeout(timer), resolve()), { once: true });
  });
}
