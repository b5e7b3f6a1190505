import type { ServiceDetail } from "../api/types.js";
import { SettingsDialog } from "./settings-dialog.js";

interface Props {
  /** null: one that is new. */
  readonly service: ServiceDetail | null;
  readonly onClose: () => void;
}

export function OperatorSettings({ service, onClose }: Props) {
  return (
    <SettingsDialog
      title={service === null ? "New service" : `Settings of ${service.name}`}
      path={(name) => `/v1/admin/services/${encodeURIComponent(name)}`}
      name={service?.name ?? null}
      current={service ? { ...service } : undefined}
      hint="It binds all tenants together."
      onClose={onClose}
    />
  );
}
