// npm start: sets up what is missing, then runs Holdfast in this process.
import { setUp } from "./setup.mjs";

await setUp();
await import("../dist/apps/main.js");
