import { COUNTED } from "#libs/telemetry";
import { Prisma, type PrismaClient } from "../record/client.js";
import { FIGURE_NAMES, type HistoryQuery, type SpanQuery } from "./history.dto.js";
import { spanOf, type Span } from "./span.js";
import { recordNow } from "../record/tenants.js";

/** One row a series, with the steps that have a value: a row a point would take longer to read than to find. */
interface SeriesRow {
  readonly name: string;
  readonly label: string;
  readonly steps: readonly number[];
  readonly values: readonly number[];
}

/** Labels of one figure are bounded where they are counted: so is the answer. */
export async function readHistory(record: PrismaClient, query: HistoryQuery): Promise<object> {
  const span = spanOf(query, await recordNow(record));
  const names = query.name === undefined ? [...FIGURE_NAMES] : [query.name];
  const found = (counted: boolean): Prisma.Sql => Prisma.sql`
    FROM figures WHERE step = ${span.bucketS} AND name = ANY(${names.filter((name) => isCounted(name) === counted)}::text[])
    AND at >= to_timestamp(${span.from}::float8 / 1000)`;
  const rows = await record.$queryRaw<SeriesRow[]>(Prisma.sql`
    WITH points AS (
      SELECT name, label, ${stepIn(span)} AS at_step, sum(value) AS value ${found(true)} GROUP BY 1, 2, 3
      UNION ALL
      (SELECT DISTINCT ON (name, label, at_step) name, label, ${stepIn(span)} AS at_step, value ${found(false)}
       ORDER BY name, label, at_step, at DESC)
    )
    SELECT name, label, array_agg(at_step) AS steps, array_agg(value) AS values FROM points
    WHERE at_step < ${span.steps} GROUP BY 1, 2 ORDER BY 1, 2`);
  return { ...shown(span), data: rows.map((row) => seriesOf(span, row)) };
}

function seriesOf(span: Span, { name, label, steps, values }: SeriesRow): object {
  const all = blank<number>(span, isCounted(name) ? 0 : null);
  steps.forEach((step, i) => (all[step] = values[i]!));
  return { name, label, values: all };
}

interface ServicePoint {
  readonly step: number;
  readonly inFlight: number;
  readonly places: number | null;
  readonly adaptiveLimit: number | null;
  readonly waiting: number;
  readonly breaker: string;
}

export async function readServiceHistory(record: PrismaClient, service: string, query: SpanQuery): Promise<object> {
  const span = spanOf(query, await recordNow(record));
  const points = await record.$queryRaw<ServicePoint[]>(Prisma.sql`
    SELECT ${stepIn(span)} AS step, in_flight AS "inFlight", places, adaptive_limit AS "adaptiveLimit", waiting, breaker
    FROM service_figures
    WHERE step = ${span.bucketS} AND service = ${service} AND at >= to_timestamp(${span.from}::float8 / 1000)
    ORDER BY at`);
  const [inFlight, places, adaptiveLimit, waiting] = [0, 1, 2, 3].map(() => blank<number>(span, null));
  const breaker = blank<string>(span, null);
  for (const point of points.filter(({ step }) => step < span.steps)) {
    const { step } = point;
    inFlight![step] = point.inFlight;
    places![step] = point.places;
    adaptiveLimit![step] = point.adaptiveLimit;
    waiting![step] = point.waiting;
    // The worst is the last by the alphabet: closed, half_open, open.
    if (point.breaker > (breaker[step] ?? "")) breaker[step] = point.breaker;
  }
  return { ...shown(span), inFlight, places, adaptiveLimit, waiting, breaker };
}

const isCounted = (name: string): boolean => (COUNTED as readonly string[]).includes(name);

function stepIn({ from, stepMs }: Span): Prisma.Sql {
  return Prisma.sql`floor((date_part('epoch', at) * 1000 - ${from}::float8) / ${stepMs}::float8)::int`;
}

function blank<T>({ steps }: Span, value: T | null): (T | null)[] {
  return Array.from({ length: steps }, () => value);
}

function shown({ from, stepMs }: Span): object {
  return { from: new Date(from).toISOString(), stepMs };
}
