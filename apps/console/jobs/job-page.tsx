import { Link } from "react-router";
import type { JobDetail } from "../api/types.js";
import { BalanceBar } from "../data/balance-bar.js";
import css from "../data/data.module.css";
import { Facts } from "../data/facts.js";
import { amount, amounts, moment } from "../data/format.js";
import { Loaded } from "../data/loaded.js";
import { useGet } from "../data/use-get.js";
import { Panel } from "../frame/panel.js";
import { useTitle } from "../frame/title.js";
import { EndJob } from "./end-job.js";
import { JobTag } from "./job-tag.js";
import { JobTree } from "./job-tree.js";
import { Reservations } from "./reservations.js";
import { WouldItFit } from "./would-it-fit.js";

interface Props {
  readonly jobId: string;
  /** Of what belongs to the tenant, in the API. */
  readonly base: string;
  /** Of the jobs in the console. */
  readonly to: string;
  /** Whether the key is the tenant's own. */
  readonly own: boolean;
  readonly ledger?: string;
  /** Of the denials in the console. */
  readonly denials: string;
}

const REFRESH_MS = 3_000;

export function JobPage({ jobId, base, to, own, ledger, denials }: Props) {
  const path = `${base}/jobs`;
  const job = useGet<JobDetail>(`${path}/${encodeURIComponent(jobId)}`, REFRESH_MS);
  return (
    <Loaded query={job}>
      {(detail) => (
        <div className={css.stack}>
          <Head job={detail} base={base} to={to} own={own} />
          <Figures job={detail} />
          {detail.children > 0 && (
            <Panel title="Child jobs">
              <JobTree parentJobId={detail.id} path={path} to={to} />
            </Panel>
          )}
          <Reservations base={base} jobId={detail.id} />
          {own && detail.state === "open" && <WouldItFit job={detail} />}
          {ledger !== undefined && (
            <p>
              <Link to={`${ledger}?jobId=${detail.id}`}>Its entries in the ledger</Link>,{" "}
              <Link to={`${denials}?jobId=${detail.id}`}>what it was denied</Link>
            </p>
          )}
        </div>
      )}
    </Loaded>
  );
}

interface HeadProps extends Pick<Props, "base" | "to" | "own"> {
  readonly job: JobDetail;
}

function Head({ job, base, to, own }: HeadProps) {
  useTitle(job.name ?? job.id);
  return (
    <>
      <div className={css.head}>
        <div className={css.title}>
          <h1>{job.name ?? "Job"}</h1>
          <JobTag state={job.state} />
        </div>
        {job.state === "open" && <EndJob job={job} base={base} own={own} />}
      </div>
      <p className={css.muted}>
        <code>{job.id}</code>
        {job.user !== undefined && <> of user {job.user}</>}, made {moment(job.createdAt)}
        {job.closedAt !== undefined && <>, ended {moment(job.closedAt)}</>}
        {job.parentJobId !== undefined && (
          <>
            , child of <Link to={`${to}/${job.parentJobId}`}>{job.parentJobId}</Link> with a grant of{" "}
            {amounts(job.grant)}
          </>
        )}
      </p>
      {job.endedBy && (
        <p>
          Cancelled by {job.endedBy.actor}
          {job.endedBy.reason === undefined ? ", without a reason." : `: ${job.endedBy.reason}`}
        </p>
      )}
    </>
  );
}

function Figures({ job }: { readonly job: JobDetail }) {
  const { open, settled, released, expired } = job.reservations;
  const facts = [
    { title: "Child jobs", value: amount(job.children) },
    { title: "Open reservations", value: amount(open) },
    { title: "Settled", value: amount(settled) },
    { title: "Released", value: amount(released) },
    { title: "Expired", value: amount(expired), alarm: expired > 0 },
  ];
  return (
    <Panel title="What it may spend, and does">
      <div className={css.grid}>
        {job.balances.map((balance) => (
          <BalanceBar key={`${balance.unit} ${balance.window}`} balance={balance} />
        ))}
      </div>
      <Facts facts={facts} />
      {Object.keys(job.labels).length > 0 && (
        <p className={css.muted}>
          {Object.entries(job.labels)
            .map(([name, value]) => `${name}: ${value}`)
            .join(", ")}
        </p>
      )}
    </Panel>
  );
}
