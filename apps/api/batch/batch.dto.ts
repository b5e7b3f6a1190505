import { ArrayMaxSize, ArrayMinSize, IsArray } from "class-validator";
import { Shown } from "../openapi/shown.js";
import { CreateJobBody, JobIdField } from "../jobs/job.dto.js";
import { ChargeBody, ExtendBody, ReserveBody, SettleBody } from "../reservations/reservation.dto.js";
import { ChoiceField, PatternField } from "../validation/fields.js";
import { KEY, KEY_RULE } from "../idempotency/key.js";
import { idSchema } from "../openapi/schemas.js";

const MOST_OPERATIONS = 1_000;
/** Any text: an id of the wrong shape is the id of nothing, as in a path. */
const ANY = /^[^]*$/;

function ReservationIdField(): PropertyDecorator {
  return PatternField(ANY, "must be the id of a reservation", { schema: idSchema("rsv") });
}

function KeyField(options: { optional?: boolean } = {}): PropertyDecorator {
  return PatternField(KEY, KEY_RULE, {
    optional: true,
    description: "What the route takes as Idempotency-Key.",
    ...options,
  });
}

function OpField(op: string): PropertyDecorator {
  return ChoiceField([op]);
}

export class ReserveOperation extends ReserveBody {
  @OpField("reserve")
  op!: "reserve";

  @JobIdField()
  jobId!: string;

  @KeyField()
  idempotencyKey?: string;
}

export class SettleOperation extends SettleBody {
  @OpField("settle")
  op!: "settle";

  @ReservationIdField()
  reservationId!: string;
}

export class ChargeOperation extends ChargeBody {
  @OpField("charge")
  op!: "charge";

  @ReservationIdField()
  reservationId!: string;

  @KeyField()
  idempotencyKey?: string;
}

export class ReleaseOperation {
  @OpField("release")
  op!: "release";

  @ReservationIdField()
  reservationId!: string;
}

export class ExtendOperation extends ExtendBody {
  @OpField("extend")
  op!: "extend";

  @ReservationIdField()
  reservationId!: string;
}

export class CreateJobOperation extends CreateJobBody {
  @OpField("createJob")
  op!: "createJob";

  @KeyField()
  idempotencyKey?: string;
}

export class CloseJobOperation {
  @OpField("closeJob")
  op!: "closeJob";

  @JobIdField()
  jobId!: string;
}

export class CancelJobOperation {
  @OpField("cancelJob")
  op!: "cancelJob";

  @JobIdField()
  jobId!: string;
}

export const OPERATIONS = {
  reserve: ReserveOperation,
  settle: SettleOperation,
  charge: ChargeOperation,
  release: ReleaseOperation,
  extend: ExtendOperation,
  createJob: CreateJobOperation,
  closeJob: CloseJobOperation,
  cancelJob: CancelJobOperation,
} as const;

export type Operation = InstanceType<(typeof OPERATIONS)[keyof typeof OPERATIONS]>;

function schemaOf({ name }: { readonly name: string }): string {
  return `#/components/schemas/${name}`;
}

/** Each operation is checked on its own, so that an invalid one is a result and not the end of the others. */
export class BatchBody {
  @IsArray({ message: "must be an array of operations" })
  @ArrayMinSize(1, { message: `must have 1 to ${MOST_OPERATIONS} operations` })
  @ArrayMaxSize(MOST_OPERATIONS, { message: `must have 1 to ${MOST_OPERATIONS} operations` })
  @Shown({
    type: "array",
    minItems: 1,
    maxItems: MOST_OPERATIONS,
    items: {
      oneOf: Object.values(OPERATIONS).map((operation) => ({ $ref: schemaOf(operation) })),
      // Without a mapping the name of the schema would be the value of `op`.
      discriminator: {
        propertyName: "op",
        mapping: Object.fromEntries(Object.entries(OPERATIONS).map(([op, operation]) => [op, schemaOf(operation)])),
      },
    },
  })
  operations!: unknown[];
}
