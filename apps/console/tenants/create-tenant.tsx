import { SegmentedControl } from "@mantine/core";
import { useState } from "react";
import { useNavigate } from "react-router";
import type { Tenant } from "../api/types.js";
import { parseLimit } from "../data/format.js";
import { useAct } from "../data/use-get.js";
import { ActDialog } from "../frame/act-dialog.js";
import { TextField } from "../frame/text-field.js";

/** With one allowance; more are added at the tenant itself. */
export function CreateTenant({ onClose }: { readonly onClose: () => void }) {
  const [name, setName] = useState("");
  const [unit, setUnit] = useState("tokens");
  const [limit, setLimit] = useState("1000000");
  const [enforcement, setEnforcement] = useState("enforce");
  const { mutateAsync } = useAct<Tenant>();
  const navigate = useNavigate();
  const value = parseLimit(limit);
  const isUnit = /^[a-z][a-z0-9_]{0,31}$/.test(unit);
  const act = async (): Promise<void> => {
    const body = { name: name.trim(), enforcement, allowances: { [unit]: { limit: value } } };
    const { id } = await mutateAsync({ method: "POST", path: "/v1/admin/tenants", body });
    await navigate(`/tenants/${id}`);
  };
  return (
    <ActDialog
      title="New tenant"
      verb="Make it"
      ready={name.trim() !== "" && value !== null && isUnit}
      act={act}
      onClose={onClose}
    >
      <TextField pointer="/name" label="Name" value={name} maxLength={200} onChange={setName} />
      <TextField
        pointer={`/allowances/${unit}`}
        label="Unit"
        description="tokens, usd_micros, calls, units or a name of your own"
        value={unit}
        error={isUnit ? undefined : "Small letters, digits and _, beginning with a letter"}
        onChange={setUnit}
      />
      <TextField
        pointer={`/allowances/${unit}/limit`}
        label="Limit"
        description="A whole number, or the word unlimited"
        value={limit}
        error={value === null ? "Must be a whole number or unlimited" : undefined}
        onChange={setLimit}
      />
      <SegmentedControl aria-label="Mode" data={["enforce", "observe"]} value={enforcement} onChange={setEnforcement} />
    </ActDialog>
  );
}
