import type { FastifyInstance } from "fastify";
import type { Metrics } from "#libs/telemetry";

/** What stands for every path that is no route of ours, and for every method that is tried there. */
const NO_ROUTE = { method: "any", route: "none" };

/** Counts and times every request by the pattern of its route: a client that makes up paths makes no new labels. */
export function measureRequests(server: FastifyInstance, { instruments: { requests } }: Metrics): void {
  server.addHook("onResponse", ({ method, routeOptions: { url: route }, is404 }, { statusCode, elapsedTime }, done) => {
    const where = route === undefined || is404 ? NO_ROUTE : { method, route };
    requests.observe({ ...where, status: String(statusCode) }, elapsedTime / 1_000);
    done();
  });
}
