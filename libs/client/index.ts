export { Holdfast, type HoldfastOptions } from "./holdfast.js";
export { Job } from "./job.js";
export { Api, JobsApi, PermitsApi, ReservationsApi, type ReserveRequest } from "./api/api.js";
export type * from "./api/types.js";
export * from "./errors/errors.js";
export type { RetryOptions } from "./http/backoff.js";
export type { CallOptions } from "./http/sender.js";
export { eventsIn, type SentEvent } from "./http/sse.js";
export type { EventsOptions, TenantEvent, Topic } from "./events/events.js";
export { NotSettled, type ClosedAs } from "./closing/closing.js";
export type { Closing, OpenFinish } from "./closing/facts.js";
export type { Replayed } from "./closing/replay.js";
export type {
  ClosedReservation,
  JobRef,
  Meters,
  ReservationContext,
  WithReservationOptions,
} from "./reservation/options.js";
export { WorkHung } from "./work/run.js";
export type { Watched } from "./work/spending.js";
export { FanOut } from "./fan-out/fan-out.js";
export type {
  AttemptContext,
  Counts,
  FanOutOptions,
  FanOutReport,
  ItemResult,
  ItemStatus,
  Progress,
  Worker,
} from "./fan-out/types.js";
export { meter, settlementOf, type Costing, type Meter, type MeterOptions, type Settlement } from "./meter/index.js";
export {
  PriceTable,
  readUsage,
  StreamUsage,
  totalTokens,
  UNKNOWN,
  UnknownModel,
  type Price,
  type Unknown,
  type Usage,
} from "./costs/index.js";
