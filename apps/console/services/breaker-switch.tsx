import { Button } from "@mantine/core";
import { useState } from "react";
import type { ServiceDetail } from "../api/types.js";
import { useAct } from "../data/use-get.js";
import { ActDialog } from "../frame/act-dialog.js";

const OPEN = {
  verb: "Trip the breaker",
  state: "open",
  meaning:
    "Every new attempt at this service is shed at once, of all tenants, until it is reset or has waited its time.",
} as const;
const CLOSED = {
  verb: "Reset the breaker",
  state: "closed",
  meaning: "Attempts are let through again at once, whatever the service answered so far.",
} as const;

export function BreakerSwitch({ service }: { readonly service: ServiceDetail }) {
  const [asking, setAsking] = useState<typeof OPEN | typeof CLOSED | null>(null);
  const { mutateAsync } = useAct();
  const next = service.live.breaker === "closed" ? OPEN : CLOSED;
  const path = `/v1/admin/services/${encodeURIComponent(service.name)}/breaker`;
  return (
    <>
      <Button size="xs" variant="default" onClick={() => setAsking(next)}>
        {next.verb} …
      </Button>
      {asking && (
        <ActDialog
          title={`${asking.verb} of ${service.name}?`}
          verb={asking.verb}
          danger={asking.state === "open"}
          act={() => mutateAsync({ method: "POST", path, body: { state: asking.state } })}
          onClose={() => setAsking(null)}
        >
          <p>{asking.meaning}</p>
        </ActDialog>
      )}
    </>
  );
}
