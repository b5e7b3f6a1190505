import type { Reservation } from "../api/types.js";
import { amounts, moment } from "../data/format.js";
import { usePages } from "../data/use-pages.js";
import { Notice } from "../frame/notice.js";
import { Panel } from "../frame/panel.js";
import { Tag, type Tone } from "../frame/tag.js";
import { Attempts } from "./attempts.js";
import css from "./jobs.module.css";
import { Refusal } from "./refusal.js";
import { placeOf, spanOf, type Span } from "./time-line.js";

const REFRESH_MS = 3_000;
const TONES: Readonly<Record<Reservation["state"], Tone>> = {
  open: "good",
  settled: "plain",
  released: "plain",
  expired: "bad",
};

interface Props {
  /** Of what belongs to the tenant, in the API. */
  readonly base: string;
  readonly jobId: string;
}

/** The reservations of a job on one line of time, each with its attempts. */
export function Reservations({ base, jobId }: Props) {
  const list = usePages<Reservation>(`${base}/jobs/${jobId}/reservations`, {}, REFRESH_MS);
  const reservations = list.data?.pages.flatMap(({ data }) => data) ?? [];
  const span = spanOf(reservations, Date.now());
  return (
    <Panel title="Reservations">
      {list.error && <Notice error={list.error} onRetry={() => void list.refetch()} />}
      {list.isSuccess && reservations.length === 0 && <p className={css.none}>It has reserved nothing yet.</p>}
      {reservations.length > 0 && (
        <p className={css.axis}>
          <span className="number">{moment(new Date(span.from).toISOString())}</span>
          <span className="number">{moment(new Date(span.to).toISOString())}</span>
        </p>
      )}
      <ul className={css.lines}>
        {reservations.map((reservation) => (
          <Line key={reservation.id} base={base} reservation={reservation} span={span} />
        ))}
      </ul>
      {list.hasNextPage && (
        <button type="button" className={css.more} onClick={() => void list.fetchNextPage()}>
          Show more
        </button>
      )}
    </Panel>
  );
}

interface LineProps extends Pick<Props, "base"> {
  readonly reservation: Reservation;
  readonly span: Span;
}

function Line({ base, reservation, span }: LineProps) {
  const { id, state, reserved, plan, late, wouldDeny } = reservation;
  return (
    <li className={css.line}>
      <div className={css.branch}>
        <code>{id}</code>
        <Tag tone={TONES[state]}>{state}</Tag>
        {late && <Tag tone="warned">late</Tag>}
        {wouldDeny && <Tag tone="warned">only observed</Tag>}
      </div>
      <p className={css.none}>
        {plan && `${plan.admittedChildren} of ${plan.children} children × ${plan.attempts} attempts: `}
        {amounts(reserved)} reserved, {amounts(reservation.held)} held, {amounts(reservation.charged)} charged
        {reservation.actual && `, ${amounts(reservation.actual)} settled`}
      </p>
      {wouldDeny && <Refusal denial={wouldDeny} />}
      <div className={css.track}>
        <span className={css.bar} data-state={state} style={placeOf(reservation, span, Date.now())} />
      </div>
      <Attempts base={base} reservation={reservation} span={span} />
    </li>
  );
}
