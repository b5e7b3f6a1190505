import type { ListedDenial } from "../api/types.js";
import { Tag } from "../frame/tag.js";

/** Why it was denied, and whether it was only observed. */
export function ReasonTag({
  denial: { code, observed },
}: {
  readonly denial: Pick<ListedDenial, "code" | "observed">;
}) {
  return (
    <>
      <Tag tone={code === "exceeds_limit" ? "bad" : "warned"}>
        {code === "exceeds_limit" ? "can never fit" : "did not fit then"}
      </Tag>
      {observed && (
        <>
          {" "}
          <Tag tone="plain">only observed</Tag>
        </>
      )}
    </>
  );
}
