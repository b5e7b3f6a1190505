import { Button } from "@mantine/core";
import type { FieldErrors } from "../api/field-errors.js";
import { Choice } from "../data/choice.js";
import css from "../data/data.module.css";
import { TextField } from "../frame/text-field.js";
import { PERIODS } from "../tenants/periods.js";
import { allowancePointer, type AllowanceTexts } from "./settings.js";

interface Props {
  readonly rows: readonly AllowanceTexts[];
  readonly wrong: FieldErrors;
  readonly onChange: (rows: AllowanceTexts[]) => void;
}

/** Allowances by unit, as many as there are. */
export function AllowanceRows({ rows, wrong, onChange }: Props) {
  const set = (id: number, change: Partial<AllowanceTexts>): void =>
    onChange(rows.map((row) => (row.id === id ? { ...row, ...change } : row)));
  const add = (): void => {
    const id = Math.max(0, ...rows.map((row) => row.id + 1));
    onChange([...rows, { id, unit: "", limit: "", period: "none", timeZone: "UTC" }]);
  };
  return (
    <>
      {rows.map(({ id, unit, limit, period, timeZone }) => (
        <fieldset key={id} className={css.pairs}>
          <legend>Allowance of {unit === "" ? "a unit" : unit}</legend>
          <TextField
            pointer={allowancePointer(unit)}
            label="Unit"
            value={unit}
            error={unit === "" ? undefined : wrong[`unit ${id}`]}
            onChange={(text) => set(id, { unit: text })}
          />
          <TextField
            pointer={allowancePointer(unit, "limit")}
            label="Limit"
            placeholder="a whole number, or unlimited"
            value={limit}
            error={limit === "" ? undefined : wrong[`limit ${id}`]}
            onChange={(text) => set(id, { limit: text })}
          />
          <Choice label="Period" value={period} options={PERIODS} onChange={(text) => set(id, { period: text })} />
          {period !== "none" && (
            <TextField
              pointer={allowancePointer(unit, "timeZone")}
              label="Time zone"
              value={timeZone}
              onChange={(text) => set(id, { timeZone: text })}
            />
          )}
          <Button size="xs" variant="default" onClick={() => onChange(rows.filter((row) => row.id !== id))}>
            Without {unit === "" ? "this allowance" : unit}
          </Button>
        </fieldset>
      ))}
      <div className={css.actions}>
        <Button size="xs" variant="default" onClick={add}>
          Another allowance
        </Button>
      </div>
    </>
  );
}
