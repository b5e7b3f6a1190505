import { serviceBookId, type Balance, type Reservation, type TenantBook } from "#libs/ledger";
import { balancesIn, reservationsIn, type WholeBooks } from "../support/book.js";
import type { Answer, Holdfast, HttpTenant } from "../support/http.js";
import { eventually } from "../support/record.js";
import { sorted } from "./shape.js";
import {
  attemptShown,
  balanceShown,
  bindingShown,
  boundShown,
  entryShown,
  jobBalancesShown,
  jobShown,
  reservationShown,
  serviceShown,
  shareShown,
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
export async function expectAllShown(
  tenant: HttpTenant,
  book: TenantBook,
  service: string,
  now: number,
): Promise<void> {
  expect((await tenant.admin("GET")).body).toEqual(tenantShown(book));
  await expectBinding(tenant, book, now);
  await expectShareShown(tenant, book, service, now);
  const written = (kind: "tenant" | "user" | "service", id: string) =>
    balancesIn(book).filter(({ scope }) => scope.kind === kind && scope.id === id);
  await expectShown(tenant, "tenant", written("tenant", book.tenantId).map(balanceShown), "all");
  for (const user of new Set([...jobsIn(book).flatMap((job) => job.user ?? []), ...book.users.rows.keys()])) {
    await expectUser(tenant, book, now, user);
    await expectShown(tenant, `user:${user}`, written("user", user).map(balanceShown), "all");
  }
  await expectShown(tenant, `service:${service}`, written("service", service).map(balanceShown), "all");
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
  await expectEntries((query) => tenant.call("GET", `/v1/ledger${query}`), book);
}

async function expectShareShown(tenant: HttpTenant, book: TenantBook, service: string, now: number): Promise<void> {
  const bound = boundShown(book, service, now);
  await expectShown(tenant, `service:${service}`, bound);
  const { status, body } = await tenant.admin("GET", `/services/${service}`);
  if (book.flows.find(service) === null) return expect(status).toBe(404);
  const {
    updatedAt: _,
    live: __,
    balances,
    ...shown
  } = body as unknown as { balances: object[] } & Record<string, unknown>;
  expect({ ...shown, balances: sorted(balances) }).toEqual({ ...shareShown(book, service), balances: sorted(bound) });
}

/** All that is shown of the service is as its book has it. */
export async function expectServiceShown(
  holdfast: Holdfast,
  books: WholeBooks,
  service: string,
  now: number,
): Promise<void> {
  const book = books.get(serviceBookId(service))!;
  const path = `/v1/admin/services/${service}`;
  const { body } = await holdfast.admin("GET", path);
  const {
    updatedAt: _,
    live: __,
    balances,
    ...shown
  } = body as unknown as { balances: object[] } & Record<string, unknown>;
  const bound = boundShown(book, service, now);
  expect({ ...shown, balances: sorted(balances) }).toEqual({ ...serviceShown(book), balances: sorted(bound) });
  const call = (query: string) => holdfast.admin("GET", `${path}/ledger${query}`);
  await expectEntries(call, book);
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
async function expectEntries(call: (query: string) => Promise<Answer>, book: TenantBook): Promise<void> {
  const entries: Entry[] = [];
  for (let cursor: string | null = ""; cursor !== null;) {
    const { body } = await call(`?limit=100${cursor && `&cursor=${cursor}`}`);
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
export async function expectCopies(holdfast: Holdfast, book: TenantBook): Promise<void> {
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
