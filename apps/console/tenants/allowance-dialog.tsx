import { TextInput } from "@mantine/core";
import { useState } from "react";
import { Choice } from "../data/choice.js";
import { parseLimit } from "../data/format.js";
import { useAct } from "../data/use-get.js";
import { ActDialog } from "../frame/act-dialog.js";

interface Setting {
  readonly limit: number | "unlimited";
  readonly period: string | null;
  readonly timeZone: string | null;
}

interface Props {
  /** Of the allowances, without the unit. */
  readonly path: string;
  /** null: one that is new, whose unit is typed. */
  readonly unit: string | null;
  readonly current: Setting | undefined;
  readonly onClose: () => void;
}

const PERIODS = ["none", "hour", "day", "week", "month"];

export function AllowanceDialog({ path, unit: given, current, onClose }: Props) {
  const old = textsOf(current);
  const [unit, setUnit] = useState(given ?? "");
  const [limit, setLimit] = useState(old.limit);
  const [period, setPeriod] = useState(old.period);
  const [timeZone, setTimeZone] = useState(old.timeZone);
  const { mutateAsync } = useAct();
  const value = parseLimit(limit);
  const isUnit = /^[a-z][a-z0-9_]{0,31}$/.test(unit);
  const body = { limit: value, period, ...(period === "none" ? {} : { timeZone }) };
  return (
    <ActDialog
      title={given === null ? "Another unit" : `Allowance of ${given}`}
      verb="Set it"
      ready={value !== null && isUnit}
      act={() => mutateAsync({ method: "PUT", path: `${path}/${unit}`, body })}
      onClose={onClose}
    >
      {given === null && (
        <TextInput
          label="Unit"
          value={unit}
          error={unit === "" || isUnit ? undefined : "Small letters, digits and _, beginning with a letter"}
          onChange={(event) => setUnit(event.currentTarget.value)}
        />
      )}
      <TextInput
        label="Limit"
        description="A whole number, or the word unlimited. 0 means that nothing may be spent."
        value={limit}
        error={limit === "" || value !== null ? undefined : "Must be a whole number or unlimited"}
        onChange={(event) => setLimit(event.currentTarget.value)}
      />
      <Choice label="Period" value={period} options={PERIODS} onChange={setPeriod} />
      {period !== "none" && (
        <TextInput
          label="Time zone"
          description="As Europe/Paris"
          value={timeZone}
          onChange={(event) => setTimeZone(event.currentTarget.value)}
        />
      )}
    </ActDialog>
  );
}

/** What the fields begin with. */
function textsOf(setting: Setting | undefined) {
  const { limit, period, timeZone } = setting ?? { limit: "", period: null, timeZone: null };
  return { limit: String(limit), period: period ?? "none", timeZone: timeZone ?? "UTC" };
}
