import type { Act, Page } from "../api/types.js";
import { moment } from "../data/format.js";
import { useGet } from "../data/use-get.js";

/** Who suspended a tenant, when and why, where that is among the last things that were done to it. */
export function WhySuspended({ path }: { readonly path: string }) {
  const { data } = useGet<Page<Act>>(path);
  const last = data?.data.find(({ act }) => act === "suspend");
  if (!last) return null;
  return (
    <p>
      Suspended by {last.actor}, {moment(last.at)}
      {last.reason === undefined ? ", without a reason." : `: ${last.reason}`}
    </p>
  );
}
