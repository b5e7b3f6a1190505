import { existsSync, readdirSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";

export interface ConsoleFile {
  readonly type: string;
  readonly plain: Buffer;
  /** With gzip; undefined for what is packed already. */
  readonly packed: Buffer | undefined;
}

const TYPES: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".svg": "image/svg+xml",
};

/** The bundled console: few files, so that they are read once and no path of a client ever reaches the disk. */
export class ConsoleFiles {
  private constructor(private readonly files: ReadonlyMap<string, ConsoleFile>) {}

  static read(folder = fileURLToPath(new URL("../../console/", import.meta.url))): ConsoleFiles {
    const names = existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: "utf8" }) : [];
    const served = names.filter((name) => extname(name) in TYPES);
    return new ConsoleFiles(new Map(served.map((name) => [name, fileAt(join(folder, name))])));
  }

  /** By its path inside the bundle: `index.html`, `assets/index-….js`. */
  get(name: string): ConsoleFile | undefined {
    return this.files.get(name);
  }
}

function fileAt(path: string): ConsoleFile {
  const packed = `${path}.gz`;
  return {
    type: TYPES[extname(path)]!,
    plain: readFileSync(path),
    packed: existsSync(packed) ? readFileSync(packed) : undefined,
  };
}
