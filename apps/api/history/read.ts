import { COUNTED } from "#libs/telemetry";
import { Prisma, type PrismaClient } from "../record/client.js";
import { FIGURE_NAMES, type HistoryQuery, type SpanQuery } from "./history.dto.js";
import { spanOf, type Span } from "./span.js";
import { recordNow } from "../record/tenants.js";

interface Point {
  readonly name: string;
  readonly label: string;
  readonly step: number;
  readonly value: number;
}

/** Labels of one figure are bounded where they are counted: so is the answer. */
export async function readHistory(record: PrismaClient, query: HistoryQuery): Promise<object> {
  const span = spanOf(query, await recordNow(record));
  const names = query.name === undefined ? [...FIGURE_NAMES] : [query.name];
  const points = await record.$queryRaw<Point[]>(Prisma.sql`
    SELECT name, label, ${stepIn(span)} AS step,
      CASE WHEN name = ANY(${[...COUNTED]}::text[]) THEN sum(value) ELSE (array_agg(value ORDER BY at DESC))[1] END AS value
    FROM figures
    WHERE step = ${span.bucketS} AND name = ANY(${names}::text[]) AND at >= to_timestamp(${span.from}::float8 / 1000)
    GROUP BY 1, 2, 3 ORDER BY 1, 2, 3`);
  const series = new Map<string, { name: string; label: string; values: (number | null)[] }>();
  for (const { name, label, step, value } of points) {
    const key = `${name} ${label}`;
    const known = series.get(key) ?? { name, label, values: blank(span, isCounted(name) ? 0 : null) };
    series.set(key, known);
    if (step < span.steps) known.values[step] = value;
  }
  return { ...shown(span), data: [...series.values()] };
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
  return Prisma.sql`floor((extract(epoch FROM at) * 1000 - ${from}::float8) / ${stepMs}::float8)::int`;
}

function blank<T>({ steps }: Span, value: T | null): (T | null)[] {
  return Array.from({ length: steps }, () => value);
}

function shown({ from, stepMs }: Span): object {
  return { from: new Date(from).toISOString(), stepMs };
}
