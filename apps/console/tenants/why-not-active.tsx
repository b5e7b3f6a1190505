import type { Act, Page, Tenant } from "../api/types.js";
import { moment } from "../data/format.js";
import { useGet } from "../data/use-get.js";

const ACTS = {
  suspended: { act: "suspend", word: "Suspended", then: "" },
  deleted: {
    act: "delete",
    word: "Deleted",
    then: "What it did stays on record; nothing of it can be changed any more.",
  },
};

interface Props {
  readonly state: Exclude<Tenant["state"], "active">;
  readonly path: string;
}

/** Who suspended or deleted a tenant, when and why, where that is among the last things that were done to it. */
export function WhyNotActive({ state, path }: Props) {
  const { data } = useGet<Page<Act>>(path);
  const { act, word, then } = ACTS[state];
  const last = data?.data.find((one) => one.act === act);
  return (
    <>
      {last && (
        <p>
          {word} by {last.actor}, {moment(last.at)}
          {last.reason === undefined ? ", without a reason." : `: ${last.reason}`}
        </p>
      )}
      {then !== "" && <p>{then}</p>}
    </>
  );
}
