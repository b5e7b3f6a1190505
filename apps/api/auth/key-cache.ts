import { performance } from "node:perf_hooks";

/** Whose key it claims to be. */
export interface KeyClaim {
  readonly tenantId: string;
  readonly keyId: string;
}

/** What is known of a key; null where there is none. */
export interface KeyRow {
  readonly hash: string;
  readonly revoked: boolean;
  readonly tenantDeleted: boolean;
}

/** Reads keys, in the order of the claims. */
export type LoadKeys = (claims: readonly KeyClaim[]) => Promise<readonly (KeyRow | null)[]>;

interface Known {
  readonly claim: KeyClaim;
  readonly row: KeyRow | null;
  readonly loadedAt: number;
  used: boolean;
}

/** How long a key is believed after it was loaded, milliseconds: a revoked key works no longer than this. */
const FRESH_MS = 1_000;
/** From this age on, a key in use is loaded together with whichever must be: a thousand tenants cost two reads a second. */
const RELOAD_MS = 500;
const MOST_AT_ONCE = 1_000;

/** Keys as they were loaded at most a second ago. Being used does not renew them, and one caller loads for all. */
export class KeyCache {
  /** In the order in which they were loaded. */
  private readonly known = new Map<string, Known>();
  private readonly loading = new Map<string, Promise<KeyRow | null>>();

  constructor(
    private readonly load: LoadKeys,
    private readonly most = 10_000,
    private readonly clock = () => performance.now(),
  ) {}

  find(claim: KeyClaim): KeyRow | null | Promise<KeyRow | null> {
    const name = nameOf(claim);
    const known = this.known.get(name);
    if (known && this.clock() - known.loadedAt < FRESH_MS) {
      known.used = true;
      return known.row;
    }
    return this.loading.get(name) ?? this.start(claim);
  }

  private start(claim: KeyClaim): Promise<KeyRow | null> {
    // The age counts from before the question, since the answer may be as old as that.
    const loadedAt = this.clock();
    const claims = [claim, ...this.due(claim, loadedAt)];
    const batch = this.load(claims).then((rows) => {
      claims.forEach((each, i) => this.remember({ claim: each, row: rows[i] ?? null, loadedAt, used: false }));
      return rows;
    });
    claims.forEach((each, i) =>
      this.await(
        nameOf(each),
        batch.then((rows) => rows[i] ?? null),
      ),
    );
    return this.loading.get(nameOf(claim))!;
  }

  private await(name: string, row: Promise<KeyRow | null>): void {
    const loading = row.finally(() => this.loading.delete(name));
    // Whoever waits hears of a failure; where nobody does, it is no news.
    loading.catch(() => undefined);
    this.loading.set(name, loading);
  }

  /** Other keys in use that are about to be needed again; those that nobody used meanwhile are forgotten. */
  private due(first: KeyClaim, now: number): KeyClaim[] {
    const claims: KeyClaim[] = [];
    for (const [name, { claim, loadedAt, used }] of this.known) {
      if (now - loadedAt < RELOAD_MS || claims.length === MOST_AT_ONCE) break;
      if (!used && now - loadedAt >= FRESH_MS) this.known.delete(name);
      else if (used && name !== nameOf(first) && !this.loading.has(name)) claims.push(claim);
    }
    return claims;
  }

  private remember(known: Known): void {
    const name = nameOf(known.claim);
    this.known.delete(name);
    this.known.set(name, known);
    if (this.known.size <= this.most) return;
    for (const oldest of this.known.keys()) {
      this.known.delete(oldest);
      return;
    }
  }
}

function nameOf({ tenantId, keyId }: KeyClaim): string {
  return tenantId + keyId;
}
