// A Chromium for the tests of the console: one of this machine, else from its package manager.
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { installPackage } from "./packages.mjs";

const names = ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome"];

/** Its path; undefined where there is none and none could be installed. */
export function provideBrowser() {
  const found = findBrowser();
  if (found !== undefined) return found;
  installPackage("chromium");
  return findBrowser();
}

function findBrowser() {
  const folders = (process.env.PATH ?? "").split(delimiter);
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find(mayRun);
}

function mayRun(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
