import type { FastifyInstance, FastifyRequest } from "fastify";
import type { TracedRequest, Traces } from "#libs/telemetry";

/** Probes and scrapes would be most of what a quiet service sends; a stream of events has no end to speak of. */
const UNTRACED = /^\/(health\/|metrics$|v1\/(admin\/)?events$)/;

/** A span for each request to a route of ours. */
export function traceRequests(server: FastifyInstance, traces: Traces): void {
  const traced = new WeakMap<FastifyRequest, TracedRequest>();
  server.addHook("onRequest", (request, _, done) => {
    const { url: route } = request.routeOptions;
    if (route !== undefined && !UNTRACED.test(route))
      traced.set(request, traces.begin(request.method, route, request.headers));
    done();
  });
  // Behind the reading of the body, which would lose what the request belongs to.
  server.addHook("preHandler", (request, _, done) => {
    const span = traced.get(request);
    if (span) span.run(done);
    else done();
  });
  server.addHook("onResponse", (request, { statusCode }, done) => {
    traced.get(request)?.end(statusCode);
    done();
  });
}
