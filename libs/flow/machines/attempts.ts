/**
 * Attempts that the children of a reservation have started: child → how many. An attempt is counted when it starts and
 * stays counted when its permit is lost: it may have reached the service.
 */
export type Attempts = Map<string, number>;

/** The number that the child's next attempt has. `known` is what the caller has on record: this count may have been lost. */
export function nextAttempt(attempts: Attempts, child: string, known: number): number {
  return Math.max(attempts.get(child) ?? 0, known) + 1;
}
