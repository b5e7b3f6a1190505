import { performance } from "node:perf_hooks";

/** What is known of a key; null where there is none. */
export interface KeyRow {
  readonly hash: string;
  readonly revoked: boolean;
  readonly tenantDeleted: boolean;
}

export type LoadKey = (tenantId: string, keyId: string) => Promise<KeyRow | null>;

interface Known {
  readonly row: KeyRow | null;
  readonly loadedAt: number;
}

/** How long a key is believed after it was loaded, milliseconds: a revoked key works no longer than this. */
const FRESH_MS = 1_000;

/** Keys as they were loaded at most a second ago. Being used does not renew them, and one caller loads for all. */
export class KeyCache {
  private readonly known = new Map<string, Known>();
  private readonly loading = new Map<string, Promise<KeyRow | null>>();

  constructor(
    private readonly load: LoadKey,
    private readonly most = 10_000,
    private readonly clock = () => performance.now(),
  ) {}

  find(tenantId: string, keyId: string): KeyRow | null | Promise<KeyRow | null> {
    const name = tenantId + keyId;
    const known = this.known.get(name);
    if (known && this.clock() - known.loadedAt < FRESH_MS) return known.row;
    return this.loading.get(name) ?? this.start(name, tenantId, keyId);
  }

  private start(name: string, tenantId: string, keyId: string): Promise<KeyRow | null> {
    // The age counts from before the question, since the answer may be as old as that.
    const loadedAt = this.clock();
    const loading = this.load(tenantId, keyId)
      .then((row) => {
        this.remember(name, { row, loadedAt });
        return row;
      })
      .finally(() => this.loading.delete(name));
    this.loading.set(name, loading);
    return loading;
  }

  private remember(name: string, known: Known): void {
    this.known.delete(name);
    this.known.set(name, known);
    if (this.known.size <= this.most) return;
    // A Map iterates in the order of insertion: the first entry is the oldest.
    for (const oldest of this.known.keys()) {
      this.known.delete(oldest);
      return;
    }
  }
}
