import { choice, Shown } from "../openapi/shown.js";

export class LiveView {
  @Shown(choice(["live"]))
  status!: string;
}

export class RecordCheck {
  @Shown(choice(["up", "down"]))
  status!: "up" | "down";
}

export class RedisCheck {
  @Shown(choice(["used", "bypassed", "off"]), { description: "Never bad: without Redis the record decides alone." })
  status!: "used" | "bypassed" | "off";
}

export class SweepCheck {
  @Shown(choice(["ok", "late"]))
  status!: "ok" | "late";

  @Shown(
    { type: "integer", nullable: true },
    { description: "Milliseconds since the last sweep finished, at whatever process; null where none ever did." },
  )
  ageMs!: number | null;

  @Shown({ type: "integer" }, { description: "The age from which it is late: three intervals." })
  lateAfterMs!: number;
}

export class ProcessCheck {
  @Shown(choice(["serving", "stopping"]))
  status!: "serving" | "stopping";
}

export class Checks {
  @Shown({ type: RecordCheck })
  record!: RecordCheck;

  @Shown({ type: RedisCheck })
  redis!: RedisCheck;

  @Shown({ type: SweepCheck })
  sweep!: SweepCheck;

  @Shown({ type: ProcessCheck })
  process!: ProcessCheck;
}

export class ReadyView {
  @Shown(choice(["ready", "unready"]))
  status!: "ready" | "unready";

  @Shown({ type: Checks })
  checks!: Checks;
}
