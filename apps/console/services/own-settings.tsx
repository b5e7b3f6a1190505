import { Button } from "@mantine/core";
import { useState } from "react";
import type { TenantService, TenantServiceDetail } from "../api/types.js";
import { BalanceBar } from "../data/balance-bar.js";
import css from "../data/data.module.css";
import { amount } from "../data/format.js";
import type { Column } from "../data/paged-table.js";
import { useGet } from "../data/use-get.js";
import { RemoveDialog } from "../frame/remove-dialog.js";
import { BreakerTag } from "./breaker-tag.js";
import { SettingsDialog } from "./settings-dialog.js";

const LIVE_MS = 5_000;

/** Of what one tenant has set at services. */
export const ownPath = (tenantId: string, service: string): string =>
  `/v1/admin/tenants/${tenantId}/services/${encodeURIComponent(service)}`;

/** What a list of such settings shows of each, whichever way it is listed. */
export function ownColumns<T extends TenantService>(tenantOf: (row: T) => string): readonly Column<T>[] {
  return [
    { title: "Now", cell: (row) => <Live path={ownPath(tenantOf(row), row.name)} /> },
    { title: "Rate a second", right: true, cell: ({ ratePerSecond }) => ratePerSecond ?? "–" },
    { title: "Concurrency", right: true, cell: ({ concurrency }) => concurrency ?? "–" },
    { title: "Queue", right: true, cell: ({ queue }) => (queue ? amount(queue.max) : "–") },
    { title: "Do", cell: (row) => <OwnActions tenantId={tenantOf(row)} settings={row} /> },
  ];
}

function Live({ path }: { readonly path: string }) {
  const { data, isError } = useGet<TenantServiceDetail>(path, LIVE_MS);
  if (isError) return <span className={css.muted}>cannot be had now</span>;
  if (data === undefined) return <span className={css.muted}>…</span>;
  const { inFlight, places, waiting, breaker } = data.live;
  const waits = Object.values(waiting as Readonly<Record<string, number>>).reduce((sum, count) => sum + count, 0);
  return (
    <div className={css.stack}>
      <span className={css.title}>
        {data.breaker && <BreakerTag breaker={breaker} />}
        <span className={css.muted}>
          {amount(inFlight)}
          {places !== null && ` of ${amount(places)}`} in flight, {amount(waits)} waiting
        </span>
      </span>
      {data.balances.map((balance) => (
        <BalanceBar key={balance.unit} balance={balance} />
      ))}
    </div>
  );
}

interface ActionsProps {
  readonly tenantId: string;
  readonly settings: TenantService;
}

function OwnActions({ tenantId, settings }: ActionsProps) {
  const [open, setOpen] = useState<"edit" | "remove" | null>(null);
  const { name } = settings;
  const close = (): void => setOpen(null);
  return (
    <div className={css.actions}>
      <Button size="compact-xs" variant="default" onClick={() => setOpen("edit")}>
        Edit {name} …
      </Button>
      <Button size="compact-xs" variant="default" onClick={() => setOpen("remove")}>
        Remove {name} …
      </Button>
      {open === "edit" && <OwnSettings tenantId={tenantId} settings={settings} onClose={close} />}
      {open === "remove" && (
        <RemoveDialog title={`Remove what is set at ${name}?`} path={ownPath(tenantId, name)} onClose={close}>
          <p>Only what bounds all tenants at the service then bounds this one.</p>
        </RemoveDialog>
      )}
    </div>
  );
}

interface OwnProps {
  readonly tenantId: string;
  /** null: at a service that is named. */
  readonly settings: TenantService | null;
  readonly onClose: () => void;
}

export function OwnSettings({ tenantId, settings, onClose }: OwnProps) {
  return (
    <SettingsDialog
      title={settings === null ? "Bound it at a service" : `At ${settings.name}`}
      path={(name) => ownPath(tenantId, name)}
      name={settings?.name ?? null}
      current={settings ?? undefined}
      hint="It binds this tenant besides what bounds all of them; its allowances are its share of the service."
      onClose={onClose}
    />
  );
}
