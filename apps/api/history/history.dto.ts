import { COUNTED } from "#libs/telemetry";
import { INSTANT } from "../openapi/schemas.js";
import { choice, Shown, TEXT } from "../openapi/shown.js";
import { ChoiceField, PatternField } from "../validation/fields.js";

/** What is measured now and then: of a step that is longer, the last is shown. */
export const MEASURED = ["reserved", "waiting"] as const;
export const FIGURE_NAMES = [...COUNTED, ...MEASURED] as const;

const SHORTEST_MS = 10_000;
const LONGEST_MS = 3_600_000_000;
const DAY_MS = 86_400_000;

/** The span of time that a history shows. */
export class SpanQuery {
  @PatternField(/^[1-9]\d{4,9}$/, `must be an integer from ${SHORTEST_MS} to ${LONGEST_MS}`, {
    optional: true,
    schema: { type: "integer", minimum: SHORTEST_MS, maximum: LONGEST_MS, default: 3_600_000 },
    description: "How far back it goes, milliseconds.",
  })
  sinceMs?: string;

  @PatternField(/^[1-9]\d{0,6}0000$/, `must be a multiple of ${SHORTEST_MS}, up to ${DAY_MS}`, {
    optional: true,
    schema: { type: "integer", minimum: SHORTEST_MS, maximum: DAY_MS, multipleOf: SHORTEST_MS },
    description:
      "The length of a step, milliseconds; by default such that there are 360 or fewer. At most 1 000 steps.",
  })
  stepMs?: string;
}

export class HistoryQuery extends SpanQuery {
  @ChoiceField(FIGURE_NAMES, { optional: true, description: "Without it, all of them." })
  name?: (typeof FIGURE_NAMES)[number];
}

const STEPS = "One a step, from the oldest to the one that goes on now.";
const MAYBE_NUMBERS = { type: "array", items: { type: ["number", "null"] } };

class SpanView {
  @Shown(INSTANT, { description: "When the first step began." })
  from!: string;

  @Shown({ type: "integer", minimum: SHORTEST_MS })
  stepMs!: number;
}

/** One figure over time. */
export class SeriesView {
  @Shown(choice(FIGURE_NAMES))
  name!: string;

  @Shown(TEXT, {
    description:
      "Of `denied` the kind of the scope, of `shed` the reason, of `spent` and `reserved` the unit; else empty.",
  })
  label!: string;

  @Shown(MAYBE_NUMBERS, {
    description: `${STEPS} What is counted is the sum of the step; what is measured is the last, and null where nobody did.`,
  })
  values!: (number | null)[];
}

/** Figures of all processes together. */
export class HistoryView extends SpanView {
  @Shown({ type: [SeriesView] })
  data!: SeriesView[];
}

/** How a service stood at the end of each step. Without Redis it has no history. */
export class ServiceHistoryView extends SpanView {
  @Shown(MAYBE_NUMBERS, { description: `Attempts that held a place. ${STEPS} null where nobody looked.` })
  inFlight!: (number | null)[];

  @Shown(MAYBE_NUMBERS, { description: "Places that there were; null also where nothing bound them." })
  places!: (number | null)[];

  @Shown(MAYBE_NUMBERS, { description: "null also without an adaptive limit." })
  adaptiveLimit!: (number | null)[];

  @Shown(MAYBE_NUMBERS, { description: "Callers that waited." })
  waiting!: (number | null)[];

  @Shown(
    { type: "array", items: { type: ["string", "null"], enum: ["closed", "half_open", "open", null] } },
    { description: "The worst state that was seen in the step." },
  )
  breaker!: (string | null)[];
}
