import { Link } from "react-router";
import type { DenialDetail, WouldDeny } from "../api/types.js";
import css from "../data/data.module.css";
import { Facts, type Fact } from "../data/facts.js";
import { amount, moment } from "../data/format.js";
import { Loaded } from "../data/loaded.js";
import { useGet } from "../data/use-get.js";
import { Panel } from "../frame/panel.js";
import { Refusal } from "../jobs/refusal.js";
import { BoundScope } from "./bound-scope.js";
import type { Places } from "./places.js";
import { ReasonTag } from "./reason-tag.js";
import { askedWords, fitWords } from "./words.js";

/** Why something was denied: what decided, every scope as it stood then, and what had moved there. */
export function Explanation({ id, places }: { readonly id: string; readonly places: Places }) {
  const denial = useGet<DenialDetail>(`${places.path}/${encodeURIComponent(id)}`);
  return (
    <>
      <p>
        <Link to={places.to}>All denials</Link>
      </p>
      <Loaded query={denial}>
        {(detail) => (
          <>
            <Why denial={detail} places={places} />
            <Scopes denial={detail} places={places} />
          </>
        )}
      </Loaded>
    </>
  );
}

interface Shown {
  readonly denial: DenialDetail;
  readonly places: Places;
}

function Why({ denial, places }: Shown) {
  const { id, code, count, observed, firstAt, lastAt, last, service, wouldFit } = denial;
  // How many children would have fitted is said with the rest of what would have.
  const { maxChildren: _, ...figures } = last;
  const refused: WouldDeny = { ...figures, code };
  const facts: Fact[] = [
    { title: "Times", value: amount(count) },
    ...(count > 1 ? [{ title: "First", value: moment(firstAt) }] : []),
    { title: count > 1 ? "Last" : "When", value: moment(lastAt) },
  ];
  return (
    <Panel
      title={observed ? "Why it would have been denied" : "Why it was denied"}
      aside={<ReasonTag denial={denial} />}
    >
      <Refusal denial={refused} />
      <p>
        Job <Link to={`${places.jobs}/${last.jobId}`}>{last.jobId}</Link>
        {last.user !== undefined && <> of user {last.user}</>} asked for {askedWords(last.asked)}
        {service !== undefined && <> at service {service}</>}. {fitWords(wouldFit)}
        {observed && " The tenant only observes, so it was let through."}
      </p>
      <Facts facts={facts} />
      <p className={css.muted}>
        <code>{id}</code>, decided on {last.decidedOn === "record" ? "the record" : "copies of the record"}
        {count > 1 && "; the figures are those of the last"}.
      </p>
    </Panel>
  );
}

function Scopes({ denial, places }: Shown) {
  const { scopes, movementsSince } = denial;
  return (
    <Panel title="Every scope at that moment">
      <div className={css.stack}>
        {scopes.map((bound) => (
          <BoundScope key={`${bound.scope.kind} ${bound.unit}`} bound={bound} places={places} />
        ))}
      </div>
      {movementsSince !== undefined && (
        <p className={css.muted}>
          Movements were looked for back to {moment(movementsSince)}; older ones are in the ledger.
        </p>
      )}
    </Panel>
  );
}
