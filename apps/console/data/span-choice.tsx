import { Choice } from "./choice.js";

/** How far back a chart goes: what the choice says, and what is asked for it. */
export const SPANS = {
  "15 minutes": { sinceMs: "900000", stepMs: "10000" },
  "1 hour": { sinceMs: "3600000", stepMs: "10000" },
  "6 hours": { sinceMs: "21600000", stepMs: "300000" },
  "7 days": { sinceMs: "604800000", stepMs: "3600000" },
} as const;

export type SpanName = keyof typeof SPANS;

interface Props {
  readonly value: SpanName;
  readonly onChange: (span: SpanName) => void;
}

export function SpanChoice({ value, onChange }: Props) {
  const names = Object.keys(SPANS) as SpanName[];
  return <Choice label="Over" value={value} options={names} onChange={(name) => onChange(name as SpanName)} />;
}
