import { setTimeout as sleep } from "node:timers/promises";
import type { Scale } from "./scale.js";

/** How a tenant calls the service. */
export interface Client {
  /** One call, with as many attempts as it takes. False: given up. */
  call(account: number, call: number): Promise<boolean>;
}

export interface Work {
  readonly accounts: number;
  /** How many of them are worked at at once. */
  readonly lanes: number;
  readonly thinkMs: number;
}

export interface Worked {
  /** Until its last call was done, milliseconds. */
  readonly ms: number;
  /** When each call succeeded, milliseconds from the start. */
  readonly succeededAt: readonly number[];
  readonly givenUp: number;
}

/** A tenant does all the calls of its accounts. */
export async function work(client: Client, { accounts, lanes, thinkMs }: Work, { callsEach }: Scale): Promise<Worked> {
  const begun = performance.now();
  const succeededAt: number[] = [];
  let [next, givenUp] = [0, 0];
  const lane = async (): Promise<void> => {
    for (let account = next++; account < accounts; account = next++) {
      for (let call = 1; call <= callsEach; call += 1) {
        if (await client.call(account, call)) succeededAt.push(performance.now() - begun);
        else givenUp += 1;
        await sleep(thinkMs);
      }
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return { ms: performance.now() - begun, succeededAt, givenUp };
}
