import { context, propagation, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace, type Tracer } from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { detectResources, envDetector, resourceFromAttributes } from "@opentelemetry/resources";
import { BatchSpanProcessor, NodeTracerProvider } from "@opentelemetry/sdk-trace-node";
import type { FlowMeter } from "#libs/flow";
import type { LedgerMeter } from "#libs/ledger";

/** Longest wait for the collector, milliseconds; spans that it did not take by then are dropped. */
const PATIENCE_MS = 2_000;
const EXPORT_EVERY_MS = 1_000;

/** A request whose span has begun. */
export interface TracedRequest {
  /** What runs within `next`, and what that starts, belongs to the request. */
  run(next: () => void): void;
  end(status: number): void;
}

/** Sends a span for each request, with what it waited for below it, to a collector. */
export class Traces {
  private readonly provider: NodeTracerProvider;
  private readonly tracer: Tracer;

  constructor(endpoint: string) {
    const url = `${endpoint.replace(/\/+$/, "")}/v1/traces`;
    const exporter = new OTLPTraceExporter({ url, timeoutMillis: PATIENCE_MS });
    const options = { scheduledDelayMillis: EXPORT_EVERY_MS, exportTimeoutMillis: PATIENCE_MS };
    this.provider = new NodeTracerProvider({
      // OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES count more.
      resource: resourceFromAttributes({ "service.name": "holdfast" }).merge(
        detectResources({ detectors: [envDetector] }),
      ),
      spanProcessors: [new BatchSpanProcessor(exporter, options)],
    });
    this.provider.register();
    this.tracer = this.provider.getTracer("holdfast");
  }

  /** Joins the trace that the caller names in `traceparent`; one that names none, or nonsense, begins its own. */
  begin(method: string, route: string, headers: object): TracedRequest {
    const attributes = { "http.request.method": method, "http.route": route };
    const caller = propagation.extract(ROOT_CONTEXT, headers);
    const span = this.tracer.startSpan(`${method} ${route}`, { kind: SpanKind.SERVER, attributes }, caller);
    const within = trace.setSpan(caller, span);
    return {
      run: (next) => context.with(within, next),
      end: (status) => {
        span.setAttribute("http.response.status_code", status);
        if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
        span.end();
      },
    };
  }

  /** A span for each stage of a command that a request waits for; the reconciler's commands have none. */
  ledger(meter: LedgerMeter): LedgerMeter {
    return {
      ...meter,
      stage: async (stage, run) => {
        if (!trace.getActiveSpan()) return meter.stage(stage, run);
        const span = this.tracer.startSpan(stage);
        try {
          return await meter.stage(stage, run);
        } catch (error) {
          span.setStatus({ code: SpanStatusCode.ERROR, message: (error as Error).name });
          throw error;
        } finally {
          span.end();
        }
      },
    };
  }

  /** A span for each decision about a permit. */
  flow(meter: FlowMeter): FlowMeter {
    return {
      ...meter,
      decided: (ms) => {
        meter.decided(ms);
        if (trace.getActiveSpan()) this.tracer.startSpan("permit", { startTime: Date.now() - ms }).end();
      },
    };
  }

  /** Sends what is left; a collector that does not answer is waited for no longer than that. */
  async close(): Promise<void> {
    await this.provider.shutdown().catch(() => undefined);
  }
}
