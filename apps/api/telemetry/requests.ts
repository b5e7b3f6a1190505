import type { FastifyInstance } from "fastify";
import type { Metrics } from "#libs/telemetry";
import { EVENT_STREAM } from "../events/stream.js";

/** What stands for every path that is no route of ours, and for every method that is tried there. */
const NO_ROUTE = { method: "any", route: "none" };

/** Counts and times every request by the pattern of its route: a client that makes up paths makes no new labels. */
export function measureRequests(server: FastifyInstance, { instruments: { requests } }: Metrics): void {
  server.addHook("onResponse", ({ method, routeOptions: { url: route }, is404 }, reply, done) => {
    const { statusCode, elapsedTime } = reply;
    const where = route === undefined || is404 ? NO_ROUTE : { method, route };
    // How long a stream lasted is its client's affair, and would pass for a slow answer.
    if (reply.getHeader("content-type") !== EVENT_STREAM)
      requests.observe({ ...where, status: String(statusCode) }, elapsedTime / 1_000);
    done();
  });
}
