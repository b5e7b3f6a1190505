import type { Balance, Reservation, TenantBook } from "#libs/ledger";
import { balancesIn, reservationsIn } from "../support/book.js";
import type { HttpTenant } from "../support/http.js";
import { eventually } from "../support/record.js";
import { sorted } from "./shape.js";
import {
  attemptShown,
  balanceShown,
  bindingShown,
  entryShown,
  jobBalancesShown,
  jobShown,
  reservationShown,
  tenantShown,
} from "./shown.js";

const jobsIn = (book: TenantBook) => [...book.jobs.rows.values()].filter((job) => job !== null);

/** What binds now at the tenant, and at this job and its user, is shown as the book has it. */
export async function expectBinding(tenant: HttpTenant, book: TenantBook, now: number, jobId?: string): Promise<void> {
  const job = jobId === undefined ? null : book.jobs.find(jobId);
  await Promise.all([
    expectShown(tenant, "tenant", bindingShown(book, null, now)),
    job && expectShown(tenant, `job:${job.id}`, jobBalancesShown(book, job)),
    job?.user != null && expectUser(tenant, book, now, job.user),
  ]);
}

function expectUser(tenant: HttpTenant, book: TenantBook, now: number, user: string): Promise<void> {
  return expectShown(tenant, `user:${user}`, bindingShown(book, user, now));
}

async function expectShown(tenant: HttpTenant, scope: string, shown: object[], windows = "current"): Promise<void> {
  const balances = sorted(await tenant.balances(scope, windows));
  expect({ scope, balances }).toEqual({ scope, balances: sorted(shown) });
}

/** All that is shown of a tenant is as the book has it. */
export async function expectAllShown(tenant: HttpTenant, book: TenantBook, now: number): Promise<void> {
  expect((await tenant.admin("GET")).body).toEqual(tenantShown(book));
  await expectBinding(tenant, book, now);
  const written = (kind: "tenant" | "user", id: string) =>
    balancesIn(book).filter(({ scope }) => scope.kind === kind && scope.id === id);
  await expectShown(tenant, "tenant", written("tenant", book.tenantId).map(balanceShown), "all");
  for (const user of new Set([...jobsIn(book).flatMap((job) => job.user ?? []), ...book.users.rows.keys()])) {
    await expectUser(tenant, book, now, user);
    await expectShown(tenant, `user:${user}`, written("user", user).map(balanceShown), "all");
  }
  await expectJobs(tenant, book);
  await Promise.all(
    reservationsIn(book).map(async (reservation) => {
      const { body } = await tenant.call("GET", `/v1/reservations/${reservation.id}`);
      expect(body).toEqual(reservationShown(reservation));
      const attempts = await tenant.call("GET", `/v1/reservations/${reservation.id}/attempts?limit=500`);
      const booked = [...book.attempts.rows.values()].flatMap((of) => of ?? []);
      const here = booked.filter(({ reservationId }) => reservationId === reservation.id);
      expect(sorted(attempts.body["data"] as object[])).toEqual(sorted(here.map(attemptShown)));
    }),
  );
  await expectEntries(tenant, book);
}

async function expectJobs(tenant: HttpTenant, book: TenantBook): Promise<void> {
  await Promise.all(
    jobsIn(book).map(async (job) => {
      const reservations = reservationsIn(book).filter(({ jobId }) => jobId === job.id);
      const count = (state: Reservation["state"]) => reservations.filter((one) => one.state === state).length;
      const counts = {
        open: count("open"),
        settled: count("settled"),
        released: count("released"),
        expired: count("expired"),
      };
      const { body } = await tenant.call("GET", `/v1/jobs/${job.id}`);
      expect({ ...body, balances: sorted(body["balances"] as object[]) }).toEqual({
        ...jobShown(job),
        balances: sorted(jobBalancesShown(book, job)),
        children: jobsIn(book).filter(({ ancestors }) => ancestors[0] === job.id).length,
        reservations: counts,
      });
      const children = await tenant.call("GET", `/v1/jobs/${job.id}/children?limit=500`);
      const below = jobsIn(book).filter(({ ancestors }) => ancestors[0] === job.id);
      expect(sorted(children.body["data"] as object[])).toEqual(sorted(below.map(jobShown)));
    }),
  );
}

/** The entries of the ledger, and in them the sums that every balance must be. */
async function expectEntries(tenant: HttpTenant, book: TenantBook): Promise<void> {
  const entries: Entry[] = [];
  for (let cursor: string | null = ""; cursor !== null;) {
    const { body } = await tenant.call("GET", `/v1/ledger?limit=100${cursor && `&cursor=${cursor}`}`);
    entries.push(...(body["data"] as Entry[]));
    cursor = body["nextCursor"] as string | null;
  }
  expect(sorted(entries.map(({ id: _, ...entry }) => entry))).toEqual(
    sorted(book.changes.entries.map((entry) => entryShown(book, entry))),
  );
  for (const { scope, unit, window, reserved, spent } of balancesIn(book)) {
    const here = entries.filter(
      (entry) =>
        entry.unit === unit &&
        entry.scopes.some((one) => one.kind === scope.kind && one.id === scope.id && one.window === window),
    );
    const sum = (of: "reserved" | "spent") => here.reduce((total, entry) => total + entry[of], 0);
    expect({ scope, unit, window, reserved: sum("reserved"), spent: sum("spent") }).toEqual({
      ...{ scope, unit, window, reserved, spent },
    });
  }
}

interface Entry {
  readonly id: string;
  readonly unit: string;
  readonly reserved: number;
  readonly spent: number;
  readonly scopes: readonly { readonly kind: string; readonly id: string; readonly window: string }[];
}

/** Copies follow the answer; from then on each that is there says what the book says. */
export async function expectCopies({ holdfast }: HttpTenant, book: TenantBook): Promise<void> {
  const rows = balancesIn(book);
  if (rows.length === 0) return;
  const keys = rows.map(({ key }) => `holdfast:{${book.tenantId}}:copy:${key}`);
  await eventually(async () => {
    const copies = await holdfast.redis.mget(keys);
    const said = copies.map((copy, i) => copy?.replace(/:\d+$/, "") ?? figuresOf(rows[i]!));
    expect(said).toEqual(rows.map(figuresOf));
    return true;
  });
}

function figuresOf({ version, limit, reserved, spent }: Balance): string {
  return `${version}:${limit ?? ""}:${reserved}:${spent}`;
}
