import type pg from "pg";
import type { Limits, ServiceView } from "#libs/flow";
import { HISTORY_STEPS_S } from "#libs/telemetry";
import { attempt, type Tally, type Task } from "../task.js";

/** The first so many by name have a history. */
const MOST_SERVICES = 100;
/** Longest look at the balances, milliseconds: where there are so many that it takes longer, what is reserved has no history. */
const MOST_MS = 2_000;

const STEPS = `unnest($1::int[]) AS s(step) CROSS JOIN (SELECT holdfast_now() AS now) AS n`;
const AT = `to_timestamp(floor(extract(epoch FROM n.now) / s.step) * s.step)`;

/** What is held over all tenants; what a service's book holds is the same once more. */
const RESERVED = `
  WITH held AS MATERIALIZED (
    SELECT unit, sum(reserved)::float8 AS reserved FROM balances
    WHERE kind = 'tenant' AND reserved > 0 AND tenant_id NOT LIKE 'service:%' GROUP BY unit
  )
  INSERT INTO figures AS f (name, label, step, at, value)
  SELECT 'reserved', u.unit, s.step, ${AT}, coalesce(held.reserved, 0)
  FROM (
    SELECT DISTINCT unit FROM allowances WHERE kind = 'tenant' AND scope_id = '' AND tenant_id NOT LIKE 'service:%'
    UNION SELECT unit FROM held
  ) AS u LEFT JOIN held USING (unit) CROSS JOIN ${STEPS}
  ON CONFLICT (step, name, label, at) DO UPDATE SET value = excluded.value`;

const WAITING = `
  INSERT INTO figures AS f (name, label, step, at, value)
  SELECT 'waiting', '', s.step, ${AT}, $2::float8 FROM ${STEPS}
  ON CONFLICT (step, name, label, at) DO UPDATE SET value = excluded.value`;

/** Of a breaker the worst of a bucket is kept, which is also the last by the alphabet: closed, half_open, open. */
const SERVICES = `
  INSERT INTO service_figures AS f (service, step, at, in_flight, places, adaptive_limit, waiting, breaker)
  SELECT v.service, s.step, ${AT}, v."inFlight", v.places, v."adaptiveLimit", v.waiting, v.breaker
  FROM json_to_recordset($2::json)
    AS v(service text, "inFlight" int, places int, "adaptiveLimit" int, waiting int, breaker text)
  CROSS JOIN ${STEPS}
  ON CONFLICT (step, service, at) DO UPDATE SET in_flight = excluded.in_flight, places = excluded.places,
    adaptive_limit = excluded.adaptive_limit, waiting = excluded.waiting, breaker = greatest(f.breaker, excluded.breaker)`;

export interface ServiceStates {
  /** @throws where Redis does not answer. */
  show(service: string, limits: Limits): Promise<ServiceView>;
}

/**
 * Writes what can only be measured into the history: what is reserved, and how services stand. `handled` counts services.
 * Without Redis each process has services of its own, and none of them is the service's: then they have no history.
 */
export class History implements Task {
  readonly name = "history";
  readonly alone = true;
  readonly everyMs = HISTORY_STEPS_S[0] * 1_000;

  constructor(
    private readonly pool: pg.Pool,
    private readonly states: ServiceStates | null,
  ) {}

  async run(tally: Tally): Promise<"done"> {
    const { states } = this;
    const patient = { text: RESERVED, values: [HISTORY_STEPS_S], query_timeout: MOST_MS };
    await attempt("reserved", tally, () => this.pool.query(patient));
    if (states) await attempt("services", tally, () => this.measureServices(states, tally));
    return "done";
  }

  private async measureServices(states: ServiceStates, tally: Tally): Promise<void> {
    const { rows } = await this.pool.query<{ name: string; settings: object }>(
      `SELECT name, settings FROM services ORDER BY name LIMIT ${MOST_SERVICES}`,
    );
    const standing = await Promise.all(
      rows.map(async ({ name, settings }) => ({ service: name, ...shown(await states.show(name, settings)) })),
    );
    const waiting = standing.reduce((sum, each) => sum + each.waiting, 0);
    await this.pool.query(WAITING, [HISTORY_STEPS_S, waiting]);
    if (standing.length > 0) await this.pool.query(SERVICES, [HISTORY_STEPS_S, JSON.stringify(standing)]);
    tally.handled += standing.length;
  }
}

function shown({ waiting, ...view }: ServiceView) {
  return { ...view, waiting: Object.values(waiting).reduce((sum, count) => sum + count, 0) };
}
