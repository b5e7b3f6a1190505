export {
  MOST_ATTEMPTS,
  openDeliveryQueue,
  openDeliveryWorker,
  putBack,
  type DeliveryJob,
  type DeliveryOrder,
  type DeliveryQueue,
  type DeliveryWorker,
} from "./deliveries.js";
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
