import { isUtf8 } from "node:buffer";
import type { IncomingMessage, Server } from "node:http";
import type { Socket } from "node:net";
import { FastifyAdapter } from "@nestjs/platform-fastify";
import { LogController, type FastifyHttpOptions, type FastifyInstance, type FastifyServerOptions } from "fastify";
import type { RunSettings } from "#libs/config";
import { Problem, problemBody, problemHeaders } from "../problems/problem.js";
import { problemOf } from "../problems/translate.js";
import { sendProblem } from "./answer.js";
import { loggedError, loggedPath } from "./logged.js";
import { securityHeaders } from "./security-headers.js";

const BODY_LIMIT_BYTES = 2 * 1024 * 1024;
/** A user's name of 200 characters, each up to 12 bytes when percent-encoded. */
const PARAM_LIMIT = 2_400;
/** Longer than a balancer's usual minute, so that it is the balancer who ends an idle connection. */
const KEEP_ALIVE_MS = 72_000;
/** A client that sends its headers, or its whole request, slower than this is cut off at the next look. */
const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 60_000;
const TIMEOUT_CHECK_MS = 2_000;
/** A connection on which nothing moves for so long is closed, also one whose client does not read its answer. */
const IDLE_TIMEOUT_MS = 300_000;
/** All headers of a request together, with its first line. */
const HEADERS_LIMIT_BYTES = 16 * 1024;

/** What Node says of bytes that are no request, where that is worth telling apart. */
const UNREADABLE: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: `The headers are over ${HEADERS_LIMIT_BYTES / 1024} KiB.`,
  ERR_HTTP_REQUEST_TIMEOUT: "The request did not arrive in time.",
};

/** Whether the process is on its way out; from then on, requests are turned away. */
export interface Closing {
  begun: boolean;
}

export function createServer({ logLevel }: Pick<RunSettings, "logLevel">, closing: Closing): FastifyAdapter {
  const options: FastifyHttpOptions<Server> = {
    logger: { level: logLevel, serializers: { err: loggedError } },
    logController: new LogController({ disableRequestLogging: true }),
    // A child logger for each request costs more than a reservation's validation.
    childLoggerFactory: (logger) => logger,
    bodyLimit: BODY_LIMIT_BYTES,
    keepAliveTimeout: KEEP_ALIVE_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    connectionTimeout: IDLE_TIMEOUT_MS,
    http: {
      maxHeaderSize: HEADERS_LIMIT_BYTES,
      headersTimeout: HEADERS_TIMEOUT_MS,
      connectionsCheckingInterval: TIMEOUT_CHECK_MS,
      // Refused below, as a problem.
      requireHostHeader: false,
    },
    routerOptions: { maxParamLength: PARAM_LIMIT },
    // The hooks below answer instead, as a problem.
    return503OnClosing: false,
    onProtoPoisoning: "error",
    onConstructorPoisoning: "error",
    frameworkErrors: (error, request, reply) => {
      // These are found before any hook runs.
      void reply.headers(securityHeaders(request.url));
      sendProblem(reply, problemOf(error) ?? new Problem("not_found", "There is nothing at this path."));
    },
    clientErrorHandler: ({ code }, socket) => refuseBytes(socket, UNREADABLE[code ?? ""]),
  };
  // No Nest middleware is used.
  const adapter = new FastifyAdapter({ ...options, skipMiddie: true } as FastifyServerOptions);
  const server = adapter.getInstance<FastifyInstance>();
  // Node would drop what is over 2 000 headers and say nothing; their bytes are limited anyway.
  server.server.maxHeadersCount = 0;
  server.server.on("checkExpectation", ({ socket }: IncomingMessage) =>
    refuseBytes(socket, "The header Expect may only be 100-continue."),
  );
  readJson(server);
  addHooks(server, closing);
  return adapter;
}

/** JSON only; no body at all where the header promised one is what many clients send for an empty request. */
function readJson(server: FastifyInstance): void {
  const parse = server.getDefaultJsonParser("error", "error");
  server.removeAllContentTypeParsers();
  server.addContentTypeParser("application/json", { parseAs: "buffer" }, (request, body: Buffer, done) => {
    if (body.length === 0) return done(null, undefined);
    // Never unpacked: a small body that becomes a huge one is an attack, and one that is not packed at all a mistake.
    const encoding = request.headers["content-encoding"] ?? "identity";
    if (encoding.toLowerCase() !== "identity") return done(unreadable("FST_ERR_CTP_INVALID_MEDIA_TYPE"), undefined);
    if (!isUtf8(body)) return done(unreadable("FST_ERR_CTP_INVALID_JSON_BODY"), undefined);
    void parse(request, body.toString("utf8"), done);
  });
}

function unreadable(code: string): Error {
  return Object.assign(new Error(code), { statusCode: 400, code });
}

function addHooks(server: FastifyInstance, closing: Closing): void {
  server.decorateRequest("tenantId", "");
  server.addHook("onRequest", (request, reply, done) => {
    void reply.headers(securityHeaders(request.url));
    if (request.headers.host === undefined && request.raw.httpVersion !== "1.0")
      return sendProblem(reply, new Problem("validation_failed", "The header Host is required."));
    if (!closing.begun || request.url.startsWith("/health/")) return done();
    return sendProblem(reply, new Problem("shutting_down", "This process is stopping: send the request again."));
  });
  server.addHook("onSend", (_request, reply, payload, done) => {
    // Without it, a connection that is kept alive would hold up the end of the process.
    if (closing.begun) void reply.header("connection", "close");
    done(null, payload);
  });
  if (!["debug", "trace"].includes(server.log.level)) return;
  server.addHook("onResponse", (request, reply, done) => {
    const { method } = request;
    const ms = Math.round(reply.elapsedTime);
    server.log.debug({ method, path: loggedPath(request), status: reply.statusCode, ms }, "request");
    done();
  });
}

/** Bytes that are no HTTP request: there is no request to answer, only a connection. */
function refuseBytes(socket: Socket, detail = "This is not a valid HTTP request."): void {
  if (!socket.writable) return void socket.destroy();
  const body = JSON.stringify(problemBody("validation_failed", { detail }, "/"));
  const headers = {
    ...securityHeaders("/v1"),
    ...problemHeaders("validation_failed"),
    "content-length": Buffer.byteLength(body),
    connection: "close",
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 400 Bad Request\r\n${lines.join("")}\r\n${body}`);
}
