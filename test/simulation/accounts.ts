import type { ScopeKind } from "#libs/ledger";

const HOUR_MS = 3_600_000;

export interface Figures {
  readonly limit: number | null;
  readonly reserved: number;
  readonly spent: number;
}

export interface Account {
  limit: number | null;
  reserved: number;
  spent: number;
  /** What it was, and since which virtual time. */
  readonly history: { readonly since: number; readonly figures: Figures }[];
}

/** One scope, unit and window, in the auditor's own words: it shares no code with the ledger. */
export function accountKey(kind: ScopeKind, id: string, unit: string, window: string): string {
  return `${kind}:${encodeURIComponent(id)}:${unit}:${window}`;
}

export function hourOf(at: number): string {
  return `hour@${new Date(Math.floor(at / HOUR_MS) * HOUR_MS).toISOString()}`;
}

/** The auditor's own sums of one tenant, kept up from what was committed. */
export class Accounts {
  private readonly accounts = new Map<string, Account>();

  find(key: string): Account | undefined {
    return this.accounts.get(key);
  }

  /** `limit`: what is set for it before anything was taken. */
  open(key: string, limit: number | null): Account {
    let account = this.accounts.get(key);
    if (!account) {
      account = {
        limit,
        reserved: 0,
        spent: 0,
        history: [{ since: 0, figures: { limit, reserved: 0, spent: 0 } }],
      };
      this.accounts.set(key, account);
    }
    return account;
  }

  change(account: Account, by: Partial<Figures>, now: number): void {
    if (by.limit !== undefined) account.limit = by.limit;
    account.reserved += by.reserved ?? 0;
    account.spent += by.spent ?? 0;
    const { limit, reserved, spent } = account;
    account.history.push({ since: now, figures: { limit, reserved, spent } });
  }

  /** All windows of a scope and unit, with their keys. */
  *of(kind: ScopeKind, id: string, unit: string): Generator<Account> {
    const start = accountKey(kind, id, unit, "");
    for (const [key, account] of this.accounts) if (key.startsWith(start)) yield account;
  }
}

/** True where the account had these figures at some time from `from` on. */
export function had({ history }: Account, { limit, reserved, spent }: Figures, from: number): boolean {
  for (let i = history.length - 1; i >= 0; i -= 1) {
    const { figures } = history[i]!;
    if (figures.limit === limit && figures.reserved === reserved && figures.spent === spent) return true;
    // What came before this one ended when this one began.
    if (history[i]!.since <= from) return false;
  }
  return false;
}
