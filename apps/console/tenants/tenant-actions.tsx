import { Button } from "@mantine/core";
import { useState } from "react";
import { useNavigate } from "react-router";
import type { Tenant } from "../api/types.js";
import css from "../data/data.module.css";
import { useAct } from "../data/use-get.js";
import { ActDialog } from "../frame/act-dialog.js";
import { RemoveDialog } from "../frame/remove-dialog.js";
import { ReasonField } from "../frame/text-field.js";
import { EditTenant } from "./edit-tenant.js";

interface Step {
  readonly text: string;
  readonly danger: boolean;
  readonly meaning: string;
  readonly path: string;
}

const SUSPEND: Step = {
  text: "Suspend",
  danger: true,
  meaning: "It gets nothing new. What runs may still charge, settle and release.",
  path: "/suspend",
};
const RESUME: Step = {
  text: "Resume",
  danger: false,
  meaning: "Its keys get new work admitted again.",
  path: "/resume",
};
export function TenantActions({ tenant }: { readonly tenant: Tenant }) {
  // A step stays the one that was asked for, also when somebody else changes the state meanwhile.
  const [open, setOpen] = useState<Step | "edit" | "delete" | null>(null);
  const navigate = useNavigate();
  if (tenant.state === "deleted") return null;
  const step = tenant.state === "active" ? SUSPEND : RESUME;
  const close = (): void => setOpen(null);
  return (
    <div className={css.actions}>
      <Button size="xs" variant="default" onClick={() => setOpen("edit")}>
        Edit …
      </Button>
      <Button size="xs" variant="default" onClick={() => setOpen(step)}>
        {step.text} …
      </Button>
      <Button size="xs" variant="default" onClick={() => setOpen("delete")}>
        Delete …
      </Button>
      {open === "edit" && <EditTenant tenant={tenant} onClose={close} />}
      {typeof open === "object" && open && <StepDialog tenant={tenant} step={open} onClose={close} />}
      {open === "delete" && (
        <RemoveDialog
          title={`Delete ${tenant.name}?`}
          verb="Delete"
          path={`/v1/admin/tenants/${tenant.id}`}
          onGone={() => navigate("/tenants")}
          onClose={close}
        >
          <p>
            Its keys end for good, and this cannot be undone. What it holds returns at the deadlines; its history stays.
          </p>
        </RemoveDialog>
      )}
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
  const { text, danger, meaning } = step;
  const act = () => {
    const body = reason.trim() === "" ? {} : { reason: reason.trim() };
    return mutateAsync({ method: "POST", path: `/v1/admin/tenants/${tenant.id}${step.path}`, body });
  };
  return (
    <ActDialog title={`${text} ${tenant.name}?`} verb={text} danger={danger} act={act} onClose={onClose}>
      <p>{meaning}</p>
      <ReasonField description="Stands in the journal of the tenant" value={reason} onChange={setReason} />
    </ActDialog>
  );
}
