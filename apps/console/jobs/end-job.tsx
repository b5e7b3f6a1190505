import { Button } from "@mantine/core";
import { useState } from "react";
import type { JobDetail } from "../api/types.js";
import css from "../data/data.module.css";
import { useAct } from "../data/use-get.js";
import { ActDialog } from "../frame/act-dialog.js";
import { ReasonField } from "../frame/text-field.js";

const CLOSE = {
  verb: "Close",
  meaning: "Nothing new is admitted, here and below. What runs may still settle; the rest returns.",
  path: "close",
};
const CANCEL = {
  verb: "Cancel",
  meaning: "It and every job below it end as cancelled. Running attempts may still settle; the rest returns.",
  path: "cancel",
};

interface Props {
  readonly job: JobDetail;
  /** Of what belongs to the tenant, in the API. */
  readonly base: string;
  /** Whether the key is the tenant's own; the operator only cancels, and says why. */
  readonly own: boolean;
}

export function EndJob({ job, base, own }: Props) {
  const [way, setWay] = useState<typeof CANCEL | null>(null);
  const [reason, setReason] = useState("");
  const { mutateAsync } = useAct();
  const body = own || reason.trim() === "" ? {} : { reason: reason.trim() };
  return (
    <div className={css.actions}>
      {(own ? [CLOSE, CANCEL] : [CANCEL]).map((one) => (
        <Button key={one.path} size="xs" variant="default" onClick={() => setWay(one)}>
          {one.verb} …
        </Button>
      ))}
      {way && (
        <ActDialog
          title={`${way.verb} ${job.name ?? job.id}?`}
          verb={`${way.verb} the job`}
          danger
          act={() => mutateAsync({ method: "POST", path: `${base}/jobs/${job.id}/${way.path}`, body })}
          onClose={() => setWay(null)}
        >
          <p>{way.meaning} This cannot be undone.</p>
          {!own && <ReasonField description="The tenant sees it at the job" value={reason} onChange={setReason} />}
        </ActDialog>
      )}
    </div>
  );
}
