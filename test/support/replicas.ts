import { Holdfast } from "./http.js";
import { startProcess } from "./program.js";
import { TestRecord } from "./record.js";
import { redisUrl } from "./services.js";

/** Two API processes and a reconciler on one record and one Redis, as they are deployed. */
export class Replicas {
  private constructor(
    readonly record: TestRecord,
    private readonly apis: readonly Holdfast[],
    private readonly endReconciler: () => Promise<unknown>,
  ) {}

  /** Nothing sweeps by itself for a minute: tests ask for it. */
  static async start(): Promise<Replicas> {
    const record = await TestRecord.start();
    const settings = {
      HOLDFAST_DATABASE_URL: record.database.url,
      HOLDFAST_REDIS_URL: redisUrl(),
      HOLDFAST_SWEEP_INTERVAL_MS: "60000",
      // The clock is moved by days, and keys are asked for again after it.
      HOLDFAST_IDEMPOTENCY_RETENTION_MS: String(365 * 86_400_000),
      // Copies are compared, so none is given up on, however busy the machine is.
      HOLDFAST_REDIS_TIMEOUT_MS: "5000",
      HOLDFAST_COMMIT_TIMEOUT_MS: "5000",
    };
    const [reconciler, ...apis] = await Promise.all(
      ["reconciler", "api", "api"].map((role) => startProcess({ ...settings, HOLDFAST_ROLE: role })),
    );
    const borrowed = { url: record.database.url, drop: () => Promise.resolve() };
    return new Replicas(
      record,
      apis.map((api) => new Holdfast(api, borrowed)),
      () => reconciler!.end("SIGTERM"),
    );
  }

  /** The processes in turn. */
  at(i: number): Holdfast {
    return this.apis[i % this.apis.length]!;
  }

  async stop(): Promise<void> {
    await Promise.all([...this.apis.map((api) => api.stop()), this.endReconciler()]);
    await this.record.stop();
  }
}
