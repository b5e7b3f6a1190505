import type * as fs from "node:fs/promises";
import type { Closing } from "./facts.js";

type Files = typeof fs;

interface Line {
  readonly v: 1;
  /** Of a closing that is kept. */
  readonly keep?: Closing;
  /** The reservation of one that was told. */
  readonly told?: string;
}

/** Of each file: one use after the other, also where several clients of this process have it. */
const lastTurns = new Map<string, Promise<unknown>>();

/**
 * A file of closings that the service could not be told, one JSON a line, appended and synced to disk. One process at a time
 * uses a file. Only where a journal is asked for are Node's own modules loaded, so that the rest also runs in a browser.
 */
export class Journal {
  constructor(readonly path: string) {}

  keep(closing: Closing): Promise<void> {
    return this.inTurn((files) => this.append(files, { v: 1, keep: closing }));
  }

  /** What is left to tell, oldest first. A line that a crash cut off was never acknowledged, and is passed over. */
  open(): Promise<Closing[]> {
    return this.inTurn((files) => this.read(files));
  }

  told({ reservationId }: Closing): Promise<void> {
    return this.inTurn((files) => this.append(files, { v: 1, told: reservationId }));
  }

  /** Takes the file away where nothing is left to tell. */
  tidy(): Promise<void> {
    return this.inTurn(async (files) => {
      if ((await this.read(files)).length === 0) await files.rm(this.path, { force: true });
    });
  }

  private async append(files: Files, line: Line): Promise<void> {
    const file = await files.open(this.path, "a");
    try {
      // Begins with an end of line: what a crash cut off before it spoils no more than itself.
      await file.appendFile(`\n${JSON.stringify(line)}`);
      await file.sync();
    } finally {
      await file.close();
    }
  }

  private async read(files: Files): Promise<Closing[]> {
    const open = new Map<string, Closing>();
    for (const line of (await this.text(files)).split("\n")) {
      const { keep, told } = parse(line);
      if (keep) open.set(keep.reservationId, keep);
      if (told !== undefined) open.delete(told);
    }
    return [...open.values()];
  }

  private async text(files: Files): Promise<string> {
    try {
      return await files.readFile(this.path, "utf8");
    } catch (error) {
      if ((error as { code?: string }).code === "ENOENT") return "";
      throw error;
    }
  }

  private inTurn<T>(use: (files: Files) => Promise<T>): Promise<T> {
    const last = lastTurns.get(this.path) ?? Promise.resolve();
    const turn = last.then(async () => use(await import("node:fs/promises")));
    lastTurns.set(
      this.path,
      turn.catch(() => undefined),
    );
    return turn;
  }
}

function parse(line: string): Partial<Line> {
  try {
    const read = JSON.parse(line) as Line;
    return read.v === 1 && (read.keep === undefined || isClosing(read.keep)) ? read : {};
  } catch {
    return {};
  }
}

/** What no version of this package wrote says nothing that could be told. */
function isClosing({ reservationId, finishes, actual }: Partial<Closing>): boolean {
  return typeof reservationId === "string" && Array.isArray(finishes) && typeof actual === "object";
}
