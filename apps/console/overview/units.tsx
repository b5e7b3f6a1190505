import { amount } from "../data/format.js";
import { sumOf, type Figure } from "../data/metrics.js";
import table from "../frame/table.module.css";

const COLUMNS = [
  { title: "Reserved", name: "holdfast_amount_reserved_total" },
  { title: "Held no more", name: "holdfast_amount_returned_total" },
  { title: "Spent", name: "holdfast_amount_spent_total" },
  { title: "Denied", name: "holdfast_amount_denied_total" },
];

/** What was reserved against what was spent, by unit. */
export function Units({ figures }: { readonly figures: readonly Figure[] }) {
  const units = [...new Set(figures.flatMap(({ labels: { unit } }) => unit ?? []))].sort();
  if (units.length === 0) return null;
  return (
    <div className={table.scroll} role="region" aria-label="Amounts by unit" tabIndex={0}>
      <table role="table" className={`${table.table} ${table.cards}`}>
        <thead role="rowgroup">
          <tr role="row">
            <th role="columnheader" scope="col">
              Unit
            </th>
            {COLUMNS.map(({ title }) => (
              <th key={title} role="columnheader" scope="col" className={table.right}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {units.map((unit) => (
            <tr key={unit} role="row">
              <th role="rowheader" scope="row" data-title="Unit">
                {unit}
              </th>
              {COLUMNS.map(({ title, name }) => (
                <td key={title} role="cell" data-title={title} className={`number ${table.right}`}>
                  {amount(sumOf(figures, name, (labels) => labels["unit"] === unit))}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
