export { settingsAsMarkdown } from "./docs.js";
export { environmentWithoutSettings, loadSettings, SettingsError } from "./settings.js";
export { settingsTable, type Entry, type RunSettings, type Settings } from "./table.js";
