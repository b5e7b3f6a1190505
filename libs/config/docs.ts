import { settingsTable, type Entry } from './table.js';

/** The table of `docs/configuration.md`, so that the page cannot drift from the settings. */
export function settingsAsMarkdown(): string {
  const rows = Object.values<Entry<unknown>>(settingsTable).map(
    (entry) => `| \`${entry.env}\` | ${entry.unit} | ${shownDefault(entry)} | ${entry.description} |`,
  );
  return ['| variable | unit | default | meaning |', '|---|---|---|---|', ...rows].join('\n');
}

function shownDefault(entry: Entry<unknown>): string {
  return entry.fallback === undefined ? `none: ${entry.absent ?? ''}` : `\`${String(entry.fallback)}\``;
}
