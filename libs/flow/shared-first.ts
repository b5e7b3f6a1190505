import type { Limits } from "./machines/gate.js";
import type { Outcome } from "./machines/outcome.js";
import type { Turn } from "./machines/turn.js";
import type { FlowMeter } from "./meter.js";
import type { FlowStore, Permit, PermitRequest, ServiceLimits, ServiceView, Woken } from "./store.js";

/** A store that is reached over a connection. */
export interface SharedStore extends FlowStore {
  readonly connected: boolean;
  close(): void;
}

/** After the shared store failed to answer, it is left alone for so long, milliseconds: each try would cost a time-out. */
const LEFT_ALONE_MS = 1_000;

/**
 * The shared store while it answers, and the one of this process while it does not: each process then grants up to the
 * limits by itself. A permit ends in the store that granted it.
 */
export class SharedFirst {
  private failedAt = Number.NEGATIVE_INFINITY;
  private sharing = true;

  constructor(
    private readonly shared: SharedStore | null,
    private readonly local: FlowStore,
    private readonly meter: Pick<FlowMeter, "decidedAlone" | "unheard">,
    /** The stores changed places: who waits in one of them should ask the other. */
    private readonly changed: () => void,
  ) {}

  async decide(
    request: PermitRequest,
    process: string | null,
  ): Promise<{ decision: Turn["decision"]; store: Permit["store"] }> {
    const decision = await this.tryShared((store) => store.decide(request, process));
    if (decision) {
      if (process !== null && request.service) await this.local.leave(request.service.name, request.id);
      return { decision, store: "shared" };
    }
    if (this.shared) this.meter.decidedAlone();
    return { decision: await this.local.decide(request, process), store: "local" };
  }

  async finish(permit: Permit, outcome: Outcome, service: ServiceLimits | null): Promise<boolean> {
    if (permit.store === "local") return this.local.finish(permit, outcome, service);
    const ended = await this.tryShared((store) => store.finish(permit, outcome, service));
    if (ended === undefined) this.meter.unheard();
    return ended ?? false;
  }

  async heartbeat(permit: Permit): Promise<"kept" | "gone" | "unknown"> {
    const local = permit.store === "local";
    const kept = local ? await this.local.heartbeat(permit) : await this.tryShared((store) => store.heartbeat(permit));
    if (kept === undefined) return "unknown";
    return kept ? "kept" : "gone";
  }

  async leave(service: string, waiterId: string): Promise<void> {
    await this.local.leave(service, waiterId);
    await this.tryShared((store) => store.leave(service, waiterId));
  }

  /** False: those of the service who wait in this process should ask again. */
  async nudge(service: string, process: string): Promise<boolean> {
    const known = await this.local.nudge(service, process);
    return (await this.tryShared((store) => store.nudge(service, process))) ?? known;
  }

  async show(...of: Parameters<FlowStore["show"]>): Promise<ServiceView> {
    return (await this.tryShared((store) => store.show(...of))) ?? this.local.show(...of);
  }

  async setBreaker(service: string, limits: Limits, to: "open" | "closed"): Promise<void> {
    await this.local.setBreaker(service, limits, to);
    await this.tryShared((store) => store.setBreaker(service, limits, to));
  }

  /** Whether decisions are shared now. */
  get isShared(): boolean {
    return this.sharing && (this.shared?.connected ?? false);
  }

  onWake(process: string, woken: Woken): void {
    this.local.onWake(process, woken);
    this.shared?.onWake(process, woken);
  }

  close(): void {
    this.shared?.close();
  }

  /** Undefined: there is no shared store, or it did not answer. */
  private async tryShared<T>(call: (store: FlowStore) => Promise<T>): Promise<T | undefined> {
    if (!this.shared) return undefined;
    const due = performance.now() >= this.failedAt + LEFT_ALONE_MS;
    if (!this.shared.connected || !due) return void this.share(false);
    try {
      const answer = await call(this.shared);
      this.share(true);
      return answer;
    } catch (error) {
      // An answer, if only an error, says that the store is there: this call alone is decided here.
      if ((error as Error).name === "ReplyError") return undefined;
      this.failedAt = performance.now();
      return void this.share(false);
    }
  }

  private share(sharing: boolean): void {
    if (sharing === this.sharing) return;
    this.sharing = sharing;
    this.changed();
  }
}
