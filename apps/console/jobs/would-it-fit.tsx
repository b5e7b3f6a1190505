import { Button, TextInput } from "@mantine/core";
import { useState, type FormEvent } from "react";
import { ApiProblem } from "../api/call.js";
import type { Balance, DryRun, JobDetail, Page, WouldDeny } from "../api/types.js";
import { BalanceBar } from "../data/balance-bar.js";
import css from "../data/data.module.css";
import { amounts, parseWhole } from "../data/format.js";
import { useAct, useGet, withQuery } from "../data/use-get.js";
import { Notice } from "../frame/notice.js";
import { Panel } from "../frame/panel.js";
import { Refusal } from "./refusal.js";

const FIELDS = [
  { name: "children", label: "Children" },
  { name: "attempts", label: "Attempts a child" },
  { name: "cost", label: "Cost of an attempt" },
] as const;

type Texts = Readonly<Record<(typeof FIELDS)[number]["name"], string>>;

/** Asks what a reservation would be told, which changes nothing, and shows all that would decide. */
export function WouldItFit({ job }: { readonly job: JobDetail }) {
  const units = job.balances.map(({ unit }) => unit);
  const [unit, setUnit] = useState(units[0] ?? "");
  const [texts, setTexts] = useState<Texts>({ children: "3", attempts: "2", cost: "20" });
  const { mutate, data, error, isPending } = useAct<DryRun>({ changes: false });
  const [children, attempts, cost] = FIELDS.map(({ name }) => parseWhole(texts[name]));
  const ready = [children, attempts, cost].every((value) => (value ?? -1) >= 0) && unit !== "";
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const body = { plan: { children, attempts, attemptCost: { [unit]: cost } }, dryRun: true };
    const idempotencyKey = crypto.randomUUID();
    mutate({ method: "POST", path: `/v1/jobs/${job.id}/reservations`, body, idempotencyKey });
  };
  const denial = denialOf(error) ?? data?.wouldDeny;
  return (
    <Panel title="Would it fit?">
      <form className={css.filters} onSubmit={submit}>
        {FIELDS.map(({ name, label }) => (
          <TextInput
            key={name}
            label={label}
            inputMode="numeric"
            value={texts[name]}
            error={parseWhole(texts[name]) === null ? "Must be a whole number" : undefined}
            onChange={(event) => setTexts({ ...texts, [name]: event.currentTarget.value })}
          />
        ))}
        <TextInput label="Unit" value={unit} onChange={(event) => setUnit(event.currentTarget.value)} />
        <Button type="submit" variant="default" loading={isPending} disabled={!ready}>
          Ask
        </Button>
      </form>
      <div role="status">
        {data && !data.wouldDeny && <p>It fits: {amounts(data.reserved)} would be reserved.</p>}
        {denial && <Refusal denial={denial} />}
      </div>
      {denial && <Scopes job={job} unit={denial.unit} />}
      {error && !denialOf(error) && <Notice error={error} />}
    </Panel>
  );
}

function denialOf(error: unknown): WouldDeny | undefined {
  if (!(error instanceof ApiProblem) || error.status !== 402) return undefined;
  return error.body as unknown as WouldDeny;
}

/** Every scope that binds the job in a unit, with its figures now. */
function Scopes({ job, unit }: { readonly job: JobDetail; readonly unit: string }) {
  const tenant = useGet<Page<Balance>>("/v1/balances");
  const user = useGet<Page<Balance>>(withQuery("/v1/balances", { scope: job.user && `user:${job.user}` }));
  const scopes = [
    ["This job", job.balances],
    ...(job.user === undefined ? [] : [[`User ${job.user}`, user.data?.data ?? []] as const]),
    ["Tenant", tenant.data?.data ?? []],
  ] as const;
  return (
    <div className={css.grid}>
      {scopes.flatMap(([title, balances]) =>
        balances
          .filter((balance) => balance.unit === unit)
          .map((balance) => (
            <div key={title}>
              <h3>{title}</h3>
              <BalanceBar balance={balance} />
            </div>
          )),
      )}
    </div>
  );
}
