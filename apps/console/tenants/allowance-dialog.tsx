import { useState } from "react";
import { Choice } from "../data/choice.js";
import { parseLimit } from "../data/format.js";
import { useAct } from "../data/use-get.js";
import { ActDialog } from "../frame/act-dialog.js";
import { ReasonField, TextField } from "../frame/text-field.js";
import { PERIODS } from "./periods.js";

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
  /** Without a period of its own it has the tenant's. */
  readonly inherits?: boolean;
  /** Units that have one: a new one must not mean to replace it. */
  readonly taken?: readonly string[];
  readonly onClose: () => void;
}

export function AllowanceDialog({ path, unit: given, current, inherits = false, taken = [], onClose }: Props) {
  const [old] = useState(() => textsOf(current, inherits ? "" : "none"));
  const [unit, setUnit] = useState(given ?? "");
  const [limit, setLimit] = useState(old.limit);
  const [period, setPeriod] = useState(old.period);
  const [timeZone, setTimeZone] = useState(old.timeZone);
  const [reason, setReason] = useState("");
  const { mutateAsync } = useAct();
  const value = parseLimit(limit);
  const wrongUnit = given === null ? unitError(unit, taken) : undefined;
  const body = bodyOf({ limit: value, period, timeZone, reason: reason.trim() });
  return (
    <ActDialog
      title={given === null ? "Another unit" : `Allowance of ${given}`}
      verb="Set it"
      ready={value !== null && unit !== "" && wrongUnit === undefined}
      act={() => mutateAsync({ method: "PUT", path: `${path}/${unit}`, body })}
      onClose={onClose}
    >
      {given === null && <TextField pointer="/unit" label="Unit" value={unit} error={wrongUnit} onChange={setUnit} />}
      <TextField
        pointer="/limit"
        label="Limit"
        description="A whole number, or the word unlimited. 0 means that nothing may be spent."
        value={limit}
        error={limit === "" || value !== null ? undefined : "Must be a whole number or unlimited"}
        onChange={setLimit}
      />
      <Choice
        label="Period"
        value={period}
        options={PERIODS}
        {...(inherits && { none: "the tenant's" })}
        onChange={setPeriod}
      />
      {isTimed(period) && (
        <TextField
          pointer="/timeZone"
          label="Time zone"
          description="As Europe/Paris"
          value={timeZone}
          onChange={setTimeZone}
        />
      )}
      <ReasonField description="Stands in the ledger; it may be left out" value={reason} onChange={setReason} />
    </ActDialog>
  );
}

function unitError(unit: string, taken: readonly string[]): string | undefined {
  if (taken.includes(unit)) return "It has one already: edit it where it stands";
  return unit === "" || /^[a-z][a-z0-9_]{0,31}$/.test(unit)
    ? undefined
    : "Small letters, digits and _, beginning with a letter";
}

interface Filled {
  readonly limit: number | "unlimited" | null;
  readonly period: string;
  readonly timeZone: string;
  readonly reason: string;
}

const isTimed = (period: string): boolean => period !== "" && period !== "none";

function bodyOf({ limit, period, timeZone, reason }: Filled): object {
  return {
    limit,
    ...(period !== "" && { period }),
    ...(isTimed(period) && { timeZone }),
    ...(reason !== "" && { reason }),
  };
}

/** What the fields begin with. */
function textsOf(setting: Setting | undefined, noPeriod: string) {
  const { limit, period, timeZone } = setting ?? { limit: "", period: null, timeZone: null };
  return { limit: String(limit), period: period ?? noPeriod, timeZone: timeZone ?? "UTC" };
}
