import pg from "pg";
import type { RecordInstruments } from "./instruments.js";

/** More are not counted: it would take the longer, the more there is to do. */
const MOST_OVERDUE = 10_000;
const PATIENCE_MS = 2_000;

/** How sweeps and audits go, at whatever process. The sub-select lets the partial index of open reservations bound it. */
const FIGURES = `
  SELECT
    (SELECT count(*)::int FROM (
       SELECT 1 FROM reservations WHERE state = 'open' AND expires_at <= (SELECT holdfast_now()) LIMIT ${MOST_OVERDUE}
     ) AS due) AS overdue,
    (SELECT ${age("max(finished_at)")} FROM reconcile_runs WHERE task = 'expire' AND outcome <> 'failed') AS "sweepAge",
    ${age("audit.finished_at")} AS "auditAge",
    (audit.detail ->> 'differences')::float8 AS differences,
    (audit.detail ->> 'copiesRepaired')::float8 AS repaired
  FROM (SELECT 1) AS one LEFT JOIN LATERAL (
    SELECT finished_at, detail FROM reconcile_runs WHERE task = 'audit' AND outcome <> 'failed' ORDER BY seq DESC LIMIT 1
  ) AS audit ON true`;

function age(instant: string): string {
  return `extract(epoch FROM holdfast_now() - ${instant})::float8`;
}

/** null where no run of that kind has finished yet. */
interface Row {
  readonly overdue: number;
  readonly sweepAge: number | null;
  readonly auditAge: number | null;
  readonly differences: number | null;
  readonly repaired: number | null;
}

/** What the record says when somebody asks, over a connection of its own: it waits for nobody, nor anybody for it. */
export class RecordFigures {
  private readonly pool: pg.Pool;

  constructor(
    databaseUrl: string,
    private readonly instruments: RecordInstruments,
  ) {
    this.pool = new pg.Pool({
      connectionString: databaseUrl,
      max: 1,
      connectionTimeoutMillis: PATIENCE_MS,
      query_timeout: PATIENCE_MS,
      application_name: "holdfast-metrics",
    });
    this.pool.on("error", () => undefined);
    this.pool.on("connect", (client) => client.on("error", () => undefined));
  }

  /** Never fails: while the record is away it shows that, and none of the other figures. */
  async refresh(): Promise<void> {
    const { up, overdue, sweepAge, auditAge, differences, repaired } = this.instruments;
    const row = await this.pool.query<Row>(FIGURES).then(
      ({ rows }) => rows[0]!,
      () => null,
    );
    up.set(row ? 1 : 0);
    const show = (gauge: typeof overdue, value: number | null | undefined): void =>
      typeof value === "number" ? gauge.set(value) : gauge.remove();
    show(overdue, row?.overdue);
    show(sweepAge, row?.sweepAge);
    show(auditAge, row?.auditAge);
    show(differences, row?.differences);
    show(repaired, row?.repaired);
  }

  close(): Promise<void> {
    return this.pool.end();
  }
}
