import { Button } from "@mantine/core";
import { useState } from "react";
import type { JobDetail } from "../api/types.js";
import css from "../data/data.module.css";
import { useAct } from "../data/use-get.js";
import { ActDialog } from "../frame/act-dialog.js";

const WAYS = [
  {
    verb: "Close",
    meaning: "Nothing new is admitted, here and below. What runs may still settle; the rest returns.",
    path: "close",
  },
  {
    verb: "Cancel",
    meaning: "It and every job below it end as cancelled. Running attempts may still settle; the rest returns.",
    path: "cancel",
  },
];

export function EndJob({ job }: { readonly job: JobDetail }) {
  const [way, setWay] = useState<(typeof WAYS)[number] | null>(null);
  const { mutateAsync } = useAct();
  return (
    <div className={css.actions}>
      {WAYS.map((one) => (
        <Button key={one.path} size="xs" variant="default" onClick={() => setWay(one)}>
          {one.verb} …
        </Button>
      ))}
      {way && (
        <ActDialog
          title={`${way.verb} ${job.name ?? job.id}?`}
          verb={`${way.verb} the job`}
          danger
          act={() => mutateAsync({ method: "POST", path: `/v1/jobs/${job.id}/${way.path}`, body: {} })}
          onClose={() => setWay(null)}
        >
          <p>{way.meaning} This cannot be undone.</p>
        </ActDialog>
      )}
    </div>
  );
}
