export {
  migrateQueue,
  openQueue,
  openQueuePool,
  openWorker,
  QUEUE_SCHEMA,
  type TaskJob,
  type TaskQueue,
  type TaskWorker,
} from "./queue.js";
export { requestRuns } from "./request.js";
export { RUN_COLUMNS, runView, TASKS, type RunRow, type RunView, type TaskName, type Trigger } from "./runs.js";
