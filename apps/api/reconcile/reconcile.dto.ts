import { ArrayMaxSize, ArrayMinSize, IsArray, IsIn, ValidateIf } from "class-validator";
import { TASKS, type TaskName } from "#libs/reconcile";
import { PageQuery } from "../lists/page.js";
import { idSchema, INSTANT } from "../openapi/schemas.js";
import { choice, MaybeShown, Shown } from "../openapi/shown.js";
import { ChoiceField } from "../validation/fields.js";

const TASKS_RULE = `must be an array of different ones of ${TASKS.join(", ")}`;

export class ReconcileBody {
  @ValidateIf((_, value) => value !== undefined)
  @IsArray({ message: TASKS_RULE })
  @ArrayMinSize(1, { message: TASKS_RULE })
  @ArrayMaxSize(TASKS.length, { message: TASKS_RULE })
  @IsIn([...TASKS], { each: true, message: TASKS_RULE })
  @MaybeShown(
    { type: "array", items: choice(TASKS), minItems: 1, maxItems: TASKS.length },
    { description: "Without it, all of them." },
  )
  tasks?: TaskName[];
}

export class RunsQuery extends PageQuery {
  @ChoiceField(TASKS, { optional: true })
  task?: TaskName;
}

const COUNT = { type: "integer", minimum: 0 };

/** One run of a task of the reconciler. */
export class ReconcileRunView {
  @Shown(idSchema("run"))
  id!: string;

  @Shown(choice(TASKS))
  task!: string;

  @Shown(choice(["schedule", "timer", "manual"]), {
    description: "`timer`: by a process itself, since the schedule had not.",
  })
  trigger!: string;

  @Shown(INSTANT)
  startedAt!: string;

  @Shown(INSTANT)
  finishedAt!: string;

  @Shown(choice(["ok", "partial", "failed"]), {
    description: "`partial`: some of it could not be done, or an audit found differences.",
  })
  outcome!: string;

  @Shown(COUNT)
  handled!: number;

  @Shown(COUNT)
  failed!: number;

  @Shown(
    { type: "object", additionalProperties: true, nullable: true },
    { description: "What is worth knowing beyond the counts; of an audit, the differences." },
  )
  detail!: object | null;
}

export class RunNowView {
  @Shown(
    { type: [ReconcileRunView] },
    { description: "The runs that finished; a task that is missing is at work, or has no reconciler." },
  )
  data!: ReconcileRunView[];
}
