import { useState } from "react";
import { Link } from "react-router";
import type { Job } from "../api/types.js";
import css from "./jobs.module.css";
import { amounts } from "../data/format.js";
import { Notice } from "../frame/notice.js";
import { usePages } from "../data/use-pages.js";
import { JobTag } from "./job-tag.js";

interface Props {
  readonly parentJobId: string;
  readonly path: string;
  readonly to: string;
}

const REFRESH_MS = 5_000;

/** Children are asked for when their parent is unfolded. */
export function JobTree({ parentJobId, path, to }: Props) {
  const list = usePages<Job>(path, { parentJobId }, REFRESH_MS);
  const jobs = list.data?.pages.flatMap(({ data }) => data) ?? [];
  return (
    <>
      {list.error && <Notice error={list.error} onRetry={() => void list.refetch()} />}
      {list.isSuccess && jobs.length === 0 && <p className={css.none}>It has no child jobs.</p>}
      <ul className={css.tree}>
        {jobs.map((job) => (
          <Branch key={job.id} job={job} path={path} to={to} />
        ))}
      </ul>
      {list.hasNextPage && (
        <button type="button" className={css.more} onClick={() => void list.fetchNextPage()}>
          Show more
        </button>
      )}
    </>
  );
}

function Branch({ job, path, to }: { readonly job: Job; readonly path: string; readonly to: string }) {
  const [open, setOpen] = useState(false);
  const name = job.name ?? job.id;
  return (
    <li>
      <div className={css.branch}>
        <button
          type="button"
          className={css.fold}
          aria-expanded={open}
          aria-label={`Child jobs of ${name}`}
          onClick={() => setOpen(!open)}
        >
          {open ? "−" : "+"}
        </button>
        <Link to={`${to}/${job.id}`}>{name}</Link>
        <JobTag state={job.state} />
        <span className={css.none}>grant {amounts(job.grant)}</span>
      </div>
      {open && <JobTree parentJobId={job.id} path={path} to={to} />}
    </li>
  );
}
