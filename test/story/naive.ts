import { setTimeout as sleep } from "node:timers/promises";
import { fetch } from "undici";
import type { StubService } from "../support/stub-service.js";
import type { Client } from "./client.js";
import type { Scale } from "./scale.js";

/** What most write first: call, and when refused try again after a random part of a time that doubles. */
export class NaiveClient implements Client {
  constructor(
    private readonly stub: StubService,
    private readonly backOff: Scale["backOff"],
  ) {}

  async call(): Promise<boolean> {
    const { retries, firstMs, mostMs } = this.backOff;
    for (let retry = 0; ; retry += 1) {
      const { status, body } = await fetch(this.stub.url);
      await body?.cancel();
      if (status === 200) return true;
      if (retry === retries) return false;
      await sleep(Math.random() * Math.min(mostMs, firstMs * 2 ** retry));
    }
  }
}
