import { Button } from "@mantine/core";
import { useState } from "react";
import { useNavigate } from "react-router";
import type { Tenant } from "../api/types.js";
import css from "../data/data.module.css";
import { useAct, withQuery } from "../data/use-get.js";
import { ActDialog } from "../frame/act-dialog.js";
import { ReasonField } from "../frame/text-field.js";
import { EditTenant } from "./edit-tenant.js";

interface Step {
  readonly text: string;
  readonly danger: boolean;
  readonly meaning: string;
  readonly method: "POST" | "DELETE";
  readonly path: string;
}

const SUSPEND: Step = {
  text: "Suspend",
  danger: true,
  meaning: "It gets nothing new. What runs may still charge, settle and release.",
  method: "POST",
  path: "/suspend",
};
const RESUME: Step = {
  text: "Resume",
  danger: false,
  meaning: "Its keys get new work admitted again.",
  method: "POST",
  path: "/resume",
};
const DELETE: Step = {
  text: "Delete",
  danger: true,
  meaning:
    "Its keys end for good, and this cannot be undone. What it holds returns at the deadlines; its history stays.",
  method: "DELETE",
  path: "",
};

export function TenantActions({ tenant }: { readonly tenant: Tenant }) {
  const [step, setStep] = useState<Step | null>(null);
  const [editing, setEditing] = useState(false);
  if (tenant.state === "deleted") return null;
  return (
    <div className={css.actions}>
      <Button size="xs" variant="default" onClick={() => setEditing(true)}>
        Edit …
      </Button>
      {[tenant.state === "active" ? SUSPEND : RESUME, DELETE].map((one) => (
        <Button key={one.text} size="xs" variant="default" onClick={() => setStep(one)}>
          {one.text} …
        </Button>
      ))}
      {step && <StepDialog tenant={tenant} step={step} onClose={() => setStep(null)} />}
      {editing && <EditTenant tenant={tenant} onClose={() => setEditing(false)} />}
    </div>
  );
}

interface DialogProps {
  readonly tenant: Tenant;
  readonly step: Step;
  readonly onClose: () => void;
}

function StepDialog({ tenant, step, onClose }: DialogProps) {
  const [reason, setReason] = useState("");
  const { mutateAsync } = useAct<Tenant>();
  const navigate = useNavigate();
  const { text, danger, meaning, method } = step;
  const path = `/v1/admin/tenants/${tenant.id}${step.path}`;
  const act = async (): Promise<void> => {
    const why = reason.trim();
    if (method === "POST") return void (await mutateAsync({ method, path, body: why === "" ? {} : { reason: why } }));
    await mutateAsync({ method, path: withQuery(path, { reason: why }) });
    await navigate("/tenants");
  };
  return (
    <ActDialog title={`${text} ${tenant.name}?`} verb={text} danger={danger} act={act} onClose={onClose}>
      <p>{meaning}</p>
      <ReasonField description="Stands in the journal of the tenant" value={reason} onChange={setReason} />
    </ActDialog>
  );
}
