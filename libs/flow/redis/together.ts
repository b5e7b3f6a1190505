import { nextTick } from "node:process";
import { Batch, type Answer, type Named } from "./batch.js";
import type { Part } from "./parts.js";
import type { ScriptName } from "./scripts.js";

/** Asks in one call: Redis serves nobody else meanwhile. */
const MOST_ASKS = 64;

interface Asked {
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

interface Open {
  readonly batch: Batch;
  readonly asked: Asked[];
}

type Send = (name: ScriptName, batch: Batch) => Promise<readonly Answer[]>;

/**
 * Callers that were let on together, by one flight of statements or one event of a socket, ask together: what they ask of
 * a script in one go is one call of it. Nobody waits for that.
 */
export class Together {
  private readonly open = new Map<string, Open>();

  constructor(private readonly send: Send) {}

  /** `slot`: what may not be asked together differs in it. @throws what `send` throws; ReplyError where this ask alone failed. */
  ask(name: ScriptName, slot: string, part: Part, named: Named): Promise<Answer> {
    const { batch, asked } = this.openOf(name, slot);
    batch.add(part, named);
    return new Promise((resolve, reject) => void asked.push({ resolve, reject }));
  }

  private openOf(name: ScriptName, slot: string): Open {
    const id = `${name} ${slot}`;
    const known = this.open.get(id);
    if (known && known.batch.size < MOST_ASKS) return known;
    const open = { batch: new Batch(), asked: [] };
    this.open.set(id, open);
    nextTick(() => {
      if (this.open.get(id) === open) this.open.delete(id);
      void this.tell(name, open);
    });
    return open;
  }

  private async tell(name: ScriptName, { batch, asked }: Open): Promise<void> {
    try {
      const answers = await this.send(name, batch);
      asked.forEach(({ resolve, reject }, i) => {
        const answer = answers[i]!;
        if (answer[0] === "failed") reject(failure(String(answer[1])));
        else resolve(answer);
      });
    } catch (error) {
      for (const { reject } of asked) reject(error);
    }
  }
}

/** As the client's own errors that Redis answered. */
function failure(why: string): Error {
  return Object.assign(new Error(why), { name: "ReplyError" });
}
