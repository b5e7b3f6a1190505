import { Button } from "@mantine/core";
import { useState } from "react";
import type { Run } from "../api/types.js";
import { Choice } from "../data/choice.js";
import css from "../data/data.module.css";
import { amount } from "../data/format.js";
import { useAct } from "../data/use-get.js";
import { Notice } from "../frame/notice.js";
import { TASKS } from "./tasks.js";

export function RunNow() {
  const [task, setTask] = useState<string>("audit");
  const { mutate, isPending, error, data } = useAct<{ readonly data: readonly Run[] }>();
  return (
    <div className={css.filters}>
      <Choice label="Run now" value={task} options={TASKS} onChange={setTask} />
      <Button
        loading={isPending}
        onClick={() => mutate({ method: "POST", path: "/v1/admin/reconcile", body: { tasks: [task] } })}
      >
        Run
      </Button>
      <span role="status">
        {data?.data.map(({ id, task: ran, outcome, handled }) => (
          <span key={id}>
            {ran}: {outcome}, {amount(handled)} handled
          </span>
        ))}
      </span>
      {error && <Notice error={error} />}
    </div>
  );
}
