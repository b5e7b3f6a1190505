import { settingsTable, type Entry } from "./table.js";

/** The table of `docs/configuration.md`, so that the page cannot drift from the settings. */
export function settingsAsMarkdown(): string {
  const rows = Object.values<Entry<string | number>>(settingsTable).map(
    (entry) => `| \`${entry.env}\` | ${entry.unit} | ${shownDefault(entry)} | ${entry.description} |`,
  );
  return ["| variable | unit | default | meaning |", "|---|---|---|---|", ...rows].join("\n");
}

function shownDefault(entry: Entry<string | number>): string {
  return entry.fallback === undefined ? `none: ${entry.absent ?? ""}` : `\`${entry.fallback}\``;
}
