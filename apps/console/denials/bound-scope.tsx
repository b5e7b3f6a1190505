import { Link } from "react-router";
import type { BoundScope as Bound, Entry } from "../api/types.js";
import { BalanceBar } from "../data/balance-bar.js";
import css from "../data/data.module.css";
import { amount, moment, signed } from "../data/format.js";
import table from "../frame/table.module.css";
import { Tag } from "../frame/tag.js";
import { placesOf, type Places } from "./places.js";

interface Props {
  readonly bound: Bound;
  readonly places: Places;
}

/** One allowance that bound the request, and what had moved there. */
export function BoundScope({ bound, places }: Props) {
  const { scope, requested, unit, window, at, decided, movements } = bound;
  return (
    <section className={css.stack} aria-label={`${scope.kind} ${scope.id}, ${unit}`}>
      <div className={css.title}>
        <h3>
          {scope.kind} <code>{scope.id}</code>
        </h3>
        <Verdict bound={bound} />
      </div>
      <BalanceBar balance={bound} />
      <p className={css.muted}>
        {amount(requested)} {unit} were asked of it, as it stood at {moment(at)}
        {window !== "none" && `, in the window ${window}`}.
      </p>
      {movements.length === 0 ? (
        <p className={css.muted}>Nothing had moved there.</p>
      ) : (
        <details open={decided}>
          <summary>
            {movements.length === 1 ? "Its last movement" : `Its last ${movements.length} movements`} before the denial
          </summary>
          <Movements
            label={`Movements of ${scope.kind} ${scope.id} in ${unit}`}
            movements={movements}
            places={places}
          />
        </details>
      )}
    </section>
  );
}

function Verdict({ bound: { decided, fits } }: Pick<Props, "bound">) {
  if (decided) return <Tag tone="bad">it decided</Tag>;
  return <Tag tone={fits ? "good" : "warned"}>{fits ? "it would fit here" : "it would not fit here either"}</Tag>;
}

interface MovementsProps {
  readonly label: string;
  readonly movements: readonly Entry[];
  readonly places: Places;
}

const HEADS = ["At", "Entry", "Reserved", "Spent", "Of"];

function Movements({ label, movements, places }: MovementsProps) {
  return (
    <div className={table.scroll} role="region" aria-label={label} tabIndex={0}>
      <table className={`${table.table} ${table.cards}`} role="table">
        <thead role="rowgroup">
          <tr role="row">
            {HEADS.map((title) => (
              <th key={title} role="columnheader" scope="col">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {movements.map((entry) => (
            <Movement key={entry.id} entry={entry} places={places} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Movement({ entry, places }: { readonly entry: Entry; readonly places: Places }) {
  const { at, type, detail, reserved, spent } = entry;
  const cells = [
    <span className="number">{moment(at)}</span>,
    `${type}${detail?.late ? ", late" : ""}`,
    signed(reserved),
    signed(spent),
    <Origin entry={entry} places={places} />,
  ];
  return (
    <tr role="row">
      {cells.map((cell, i) => (
        <td key={HEADS[i]} role="cell" data-title={HEADS[i]}>
          {cell}
        </td>
      ))}
    </tr>
  );
}

/** The reservation, by its entries in the ledger, or the job; at a service they may be another tenant's. */
function Origin({ entry, places }: { readonly entry: Entry; readonly places: Places }) {
  const { reservationId, jobId, detail } = entry;
  const { jobs, ledger } = places.operator && detail?.tenantId !== undefined ? placesOf(detail.tenantId) : places;
  if (reservationId !== undefined) return <Link to={`${ledger}?reservationId=${reservationId}`}>{reservationId}</Link>;
  if (jobId !== undefined) return <Link to={`${jobs}/${jobId}`}>{jobId}</Link>;
  return detail?.actor === undefined ? "" : `by ${detail.actor}`;
}
