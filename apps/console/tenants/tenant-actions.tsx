import { Button } from "@mantine/core";
import { useState } from "react";
import { useNavigate } from "react-router";
import type { Tenant } from "../api/types.js";
import css from "../data/data.module.css";
import { useAct, type Act } from "../data/use-get.js";
import { ActDialog } from "../frame/act-dialog.js";

interface Step {
  readonly text: string;
  readonly danger: boolean;
  readonly meaning: string;
  readonly act: Omit<Act, "path">;
  readonly path: string;
}

const SUSPEND: Step = {
  text: "Suspend",
  danger: true,
  meaning: "It gets nothing new. What runs may still charge, settle and release.",
  act: { method: "POST", body: {} },
  path: "/suspend",
};
const RESUME: Step = {
  text: "Resume",
  danger: false,
  meaning: "Its keys get new work admitted again.",
  act: { method: "POST", body: {} },
  path: "/resume",
};
const DELETE: Step = {
  text: "Delete",
  danger: true,
  meaning:
    "Its keys end for good, and this cannot be undone. What it holds returns at the deadlines; its history stays.",
  act: { method: "DELETE" },
  path: "",
};

export function TenantActions({ tenant }: { readonly tenant: Tenant }) {
  const [step, setStep] = useState<Step | null>(null);
  const { mutateAsync } = useAct<Tenant>();
  const navigate = useNavigate();
  if (tenant.state === "deleted") return null;
  const act = async ({ act: sent, path }: Step): Promise<void> => {
    await mutateAsync({ ...sent, path: `/v1/admin/tenants/${tenant.id}${path}` });
    if (sent.method === "DELETE") await navigate("/tenants");
  };
  return (
    <div className={css.actions}>
      {[tenant.state === "active" ? SUSPEND : RESUME, DELETE].map((one) => (
        <Button key={one.text} size="xs" variant="default" onClick={() => setStep(one)}>
          {one.text} …
        </Button>
      ))}
      {step && (
        <ActDialog
          title={`${step.text} ${tenant.name}?`}
          verb={step.text}
          danger={step.danger}
          act={() => act(step)}
          onClose={() => setStep(null)}
        >
          <p>{step.meaning}</p>
        </ActDialog>
      )}
    </div>
  );
}
