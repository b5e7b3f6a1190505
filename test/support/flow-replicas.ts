import { Holdfast, type HttpTenant } from "./http.js";
import { startProcess, type HoldfastProcess } from "./program.js";
import { freshDatabase, startPrivateRedis, type PrivateRedis } from "./services.js";
import { Starter } from "./flow.js";

/** Two API processes on one record and on a Redis of their own, which a test may lose. */
export class FlowReplicas {
  private constructor(
    readonly redis: PrivateRedis,
    private readonly processes: readonly Holdfast[],
    private readonly programs: readonly HoldfastProcess[],
    private readonly drop: () => Promise<void>,
  ) {}

  /** `connections`: most that a test holds to each process; callers that wait keep one each. */
  static async start({ connections }: { connections?: number } = {}): Promise<FlowReplicas> {
    const [database, redis] = await Promise.all([freshDatabase(), startPrivateRedis()]);
    const settings = {
      HOLDFAST_ROLE: "api",
      HOLDFAST_DATABASE_URL: database.url,
      HOLDFAST_REDIS_URL: redis.url,
      HOLDFAST_COMMIT_TIMEOUT_MS: "5000",
    };
    const borrowed = { url: database.url, drop: () => Promise.resolve() };
    const programs = await Promise.all([startProcess(settings), startProcess(settings)]);
    const processes = programs.map((program) => new Holdfast(program, borrowed, connections));
    return new FlowReplicas(redis, processes, programs, () => database.drop());
  }

  /** The processes in turn. */
  at(i: number): Holdfast {
    return this.processes[i % 2]!;
  }

  /** Stops one of them as an operator does. */
  end(i: number): Promise<unknown> {
    return this.programs[i]!.end("SIGTERM");
  }

  /** What a tenant does by way of one process after the other. */
  starters({ key }: HttpTenant): (i: number) => Starter {
    const both = this.processes.map((holdfast) => new Starter(holdfast, key));
    return (i) => both[i % 2]!;
  }

  /** What a process sees of a service now. */
  async live(service: string, i = 0): Promise<Record<string, unknown>> {
    const { body } = await this.at(i).admin("GET", `/v1/admin/services/${service}`);
    return body["live"] as Record<string, unknown>;
  }

  async stop(): Promise<void> {
    await Promise.all(this.processes.map((holdfast) => holdfast.stop()));
    await this.redis.stop();
    await this.drop();
  }
}
