import type { Flow, ServiceView } from "#libs/flow";
import type { PrismaClient } from "../record/client.js";
import { limitsOf } from "../services/limits.js";
import type { ServiceBody } from "../services/service.dto.js";

/** The first so many by name are told; of the others a client asks. */
const MOST_SERVICES = 100;

export interface ServiceNow {
  readonly name: string;
  /** As `GET /v1/admin/services/:name` shows it. */
  readonly live: ServiceView & { readonly shared: boolean };
}

/** How services stand, which is in no table: it is pushed, since to ask again for each of them would cost more. */
export class LiveServices {
  /** The mark at which the settings were read, and the one before. */
  private marks: readonly [string, string] = ["", ""];
  private settings: readonly { readonly name: string; readonly settings: unknown }[] = [];
  private known = new Map<string, { readonly now: ServiceNow; readonly text: string }>();

  constructor(
    private readonly record: PrismaClient,
    private readonly flow: Flow,
  ) {}

  get all(): readonly ServiceNow[] {
    return [...this.known.values()].map(({ now }) => now);
  }

  /** Those that stand otherwise than at the last look. Settings are read again when their mark has moved, or moved just before. */
  async changed(mark: string): Promise<readonly ServiceNow[]> {
    if (this.marks.some((read) => read !== mark)) {
      this.settings = await this.record.service.findMany({ orderBy: { name: "asc" }, take: MOST_SERVICES });
      this.marks = [mark, this.marks[0]];
    }
    const shared = this.flow.isShared;
    const found = await Promise.all(
      this.settings.map(async ({ name, settings }) => {
        const view = await this.flow.show(name, limitsOf(settings as ServiceBody));
        const now = { name, live: { ...view, shared } };
        return [name, { now, text: JSON.stringify(now) }] as const;
      }),
    );
    const before = this.known;
    this.known = new Map(found);
    return found.filter(([name, { text }]) => before.get(name)?.text !== text).map(([, { now }]) => now);
  }
}
