import { Button, TextInput } from "@mantine/core";
import { useState, type FormEvent } from "react";
import { Link, useSearchParams } from "react-router";
import type { Job } from "../api/types.js";
import { Choice } from "../data/choice.js";
import css from "../data/data.module.css";
import { amounts, moment } from "../data/format.js";
import { PagedTable, type Column } from "../data/paged-table.js";
import { Panel } from "../frame/panel.js";
import { JobTag } from "./job-tag.js";

interface Props {
  /** Of the list in the API. */
  readonly path: string;
  /** Of the page of a job, without its id. */
  readonly to: string;
}

const REFRESH_MS = 5_000;

export function JobsPanel({ path, to }: Props) {
  const [params, setParams] = useSearchParams();
  const [user, setUser] = useState(params.get("user") ?? "");
  const state = params.get("state") ?? "";
  const set = (next: { state: string; user: string }): void =>
    setParams(Object.fromEntries(Object.entries(next).filter(([, value]) => value !== "")), { replace: true });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    set({ state, user });
  };
  const columns: readonly Column<Job>[] = [
    { title: "Job", cell: ({ id, name }) => <Link to={`${to}/${id}`}>{name ?? id}</Link> },
    { title: "State", cell: (job) => <JobTag state={job.state} /> },
    { title: "User", cell: (job) => job.user ?? "" },
    { title: "Allowance", cell: ({ allowance }) => amounts(allowance) },
    { title: "Depth", right: true, cell: ({ depth }) => depth },
    { title: "Made", cell: ({ createdAt }) => <span className="number">{moment(createdAt)}</span> },
  ];
  return (
    <Panel title="Jobs">
      <form className={css.filters} onSubmit={submit}>
        <Choice
          label="State"
          value={state}
          none="all"
          options={["open", "closed", "cancelled"]}
          onChange={(value) => set({ state: value, user })}
        />
        <TextInput label="User" value={user} onChange={(event) => setUser(event.currentTarget.value)} />
        <Button type="submit" variant="default">
          Filter
        </Button>
      </form>
      <PagedTable
        label="Jobs"
        path={path}
        params={{ state, user: params.get("user") }}
        columns={columns}
        rowKey={({ id }) => id}
        empty="No job matches."
        refreshMs={REFRESH_MS}
      />
    </Panel>
  );
}
