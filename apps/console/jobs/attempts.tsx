import { useState } from "react";
import type { Attempt, Reservation } from "../api/types.js";
import { amounts, moment } from "../data/format.js";
import { usePages } from "../data/use-pages.js";
import { Notice } from "../frame/notice.js";
import css from "./jobs.module.css";
import { share, type Span } from "./time-line.js";

interface Props {
  /** Of what belongs to the tenant, in the API. */
  readonly base: string;
  readonly reservation: Reservation;
  readonly span: Span;
}

/** Asked for when unfolded. */
export function Attempts({ base, reservation, span }: Props) {
  const [open, setOpen] = useState(false);
  return (
    <div>
      <button type="button" className={css.more} aria-expanded={open} onClick={() => setOpen(!open)}>
        {open ? "Hide" : "Show"} its attempts
      </button>
      {open && <Shown path={`${base}/reservations/${reservation.id}/attempts`} span={span} />}
    </div>
  );
}

function Shown({ path, span }: { readonly path: string; readonly span: Span }) {
  const list = usePages<Attempt>(path);
  const attempts = list.data?.pages.flatMap(({ data }) => data) ?? [];
  return (
    <>
      {list.error && <Notice error={list.error} onRetry={() => void list.refetch()} />}
      {list.isSuccess && attempts.length === 0 && <p className={css.none}>None was charged.</p>}
      {attempts.length > 0 && (
        <div className={css.track} aria-hidden>
          {attempts.map(({ child, attempt, outcome, at }) => (
            <span
              key={`${child} ${attempt}`}
              className={css.mark}
              data-outcome={outcome}
              style={{ left: `${share(Date.parse(at), span)}%` }}
            />
          ))}
        </div>
      )}
      <ul className={css.attempts}>
        {attempts.map(({ child, attempt, outcome, actual, late, at }) => (
          <li key={`${child} ${attempt}`}>
            child {child}, attempt {attempt}: {outcome}, {amounts(actual)}
            {late && ", late"} <span className={css.none}>{moment(at)}</span>
          </li>
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
