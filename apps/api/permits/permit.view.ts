import { AttemptView } from "../reservations/reservation.view.js";
import { idSchema, PERMIT_SCHEMA } from "../openapi/schemas.js";
import { Shown } from "../openapi/shown.js";

const COUNT = { type: "integer", minimum: 1 };

export class LeaseView {
  @Shown(PERMIT_SCHEMA, { description: "Names the permit in any process; keep it as it is." })
  id!: string;

  @Shown(COUNT, { description: "Without a heartbeat within so long it ends by itself." })
  leaseMs!: number;
}

export class PermitView extends LeaseView {
  @Shown(idSchema("rsv"))
  reservationId!: string;

  @Shown(COUNT)
  child!: number;

  @Shown(COUNT, { description: "Which attempt of the child it starts; 1 is the first try." })
  attempt!: number;
}

/** The attempt as it was charged: `failed` for every outcome but `succeeded`. */
export class FinishedView extends AttemptView {
  @Shown(PERMIT_SCHEMA)
  id!: string;
}
