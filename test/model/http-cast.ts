import { serviceBookId, type Command, type TenantBook } from "#libs/ledger";
import { bookOf, type BookSettings, type WholeBooks } from "../support/book.js";
import { commandsOf, fresh } from "../support/commands.js";
import { HttpTenant } from "../support/http.js";
import type { Replicas } from "../support/replicas.js";
import { Client } from "./client.js";
import { tenantShown } from "./shown.js";
import type { Made } from "./steps.js";

export interface Tenant {
  readonly made: Made;
  readonly client: Client;
  readonly book: TenantBook;
}

export interface Run {
  readonly tenant: Tenant;
  readonly command: Command;
}

/** Who is in a world: tenants with their clients, a service that their work may be for, and the book of each. */
export class Cast {
  readonly tenants: Tenant[] = [];
  books: WholeBooks = new Map();
  readonly service = fresh("svc").replace("svc_", "svc-");
  readonly serviceId = serviceBookId(this.service);

  private constructor(private readonly replicas: Replicas) {}

  static async start(replicas: Replicas, settings: readonly BookSettings[]): Promise<Cast> {
    const cast = new Cast(replicas);
    // Named, and nothing set for it yet.
    bookOf({ allowances: {} }, cast.serviceId, cast.books).tenant!.configVersion = 0;
    cast.tenants.push(...(await Promise.all(settings.map((given, i) => cast.newTenant(given, i)))));
    return cast;
  }

  /** What makes the service, and gives one tenant a share of it. */
  opening(): Command[] {
    const tokens = (limit: number) => ({ tokens: { limit, period: "none", timeZone: "UTC" } }) as const;
    const change = { change: "share", service: this.service, allowances: tokens(70), flow: {} } as const;
    return [
      commandsOf(this.serviceId).configure({ change: "service", allowances: tokens(150), flow: {} }),
      commandsOf(this.tenants[0]!.made.tenantId).configure(change),
    ];
  }

  /** Changes to what already is. */
  stateAsItIs({ book: { tenantId, tenant } }: Tenant): Command {
    return commandsOf(tenantId).configure({ change: "state", state: tenant!.state });
  }

  serviceAsItIs(): Command {
    const { settings, flows } = this.books.get(this.serviceId)!;
    const change = { change: "service", allowances: settings.allowances, flow: flows.find(this.service)! } as const;
    return commandsOf(this.serviceId).configure(change);
  }

  private async newTenant(given: BookSettings, turn: number): Promise<Tenant> {
    const allowances = Object.entries(bookOf(given).settings.allowances).map(([unit, { limit, ...setting }]) => [
      unit,
      { limit: limit ?? "unlimited", ...setting },
    ]);
    const processes = [this.replicas.at(0), this.replicas.at(1)];
    const tenant = await processes[turn % 2]!.tenant({
      ...given,
      allowances: Object.fromEntries(allowances) as object,
    });
    expect((await tenant.admin("GET")).body).toEqual(tenantShown(bookOf(given, tenant.id, this.books)));
    const client = new Client(processes.map((process) => new HttpTenant(process, tenant.id, tenant.key)));
    const made = { tenantId: tenant.id, service: this.service, jobs: [], reservations: [], sent: [] };
    const bookNow = (): TenantBook => this.books.get(tenant.id)!;
    return {
      made,
      client,
      get book() {
        return bookNow();
      },
    };
  }
}
