import type { Run } from "../api/types.js";
import css from "../data/data.module.css";
import { amount } from "../data/format.js";

/** What an audit keeps of what it found. */
interface AuditDetail {
  readonly tenants?: number;
  readonly differences?: number;
  readonly findings?: readonly object[];
  readonly copiesRepaired?: number;
  readonly error?: string;
}

/** What a run found, unfolded where there is more to say than a figure. */
export function Findings({ run: { task, detail } }: { readonly run: Run }) {
  if (detail === null) return null;
  if (task !== "audit") return <Unfold title="detail" value={detail} />;
  const { tenants = 0, differences = 0, findings = [], copiesRepaired = 0, error } = detail as AuditDetail;
  const words = `${amount(differences)} differences at ${amount(tenants)} tenants, ${amount(copiesRepaired)} copies repaired`;
  if (findings.length === 0 && error === undefined) return <span className={css.muted}>{words}</span>;
  return <Unfold title={error ?? words} value={findings} />;
}

function Unfold({ title, value }: { readonly title: string; readonly value: unknown }) {
  return (
    <details>
      <summary>{title}</summary>
      <pre>{JSON.stringify(value, null, 2)}</pre>
    </details>
  );
}
