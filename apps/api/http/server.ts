import { isUtf8 } from "node:buffer";
import type { Socket } from "node:net";
import { FastifyAdapter } from "@nestjs/platform-fastify";
import { LogController, type FastifyInstance, type FastifyServerOptions } from "fastify";
import type { RunSettings } from "#libs/config";
import { Problem, problemBody, problemHeaders } from "../problems/problem.js";
import { problemOf } from "../problems/translate.js";
import { sendProblem } from "./answer.js";
import { pathOf } from "./request.js";

const BODY_LIMIT_BYTES = 2 * 1024 * 1024;
/** A user's name of 200 characters, each up to 12 bytes when percent-encoded. */
const PARAM_LIMIT = 2_400;
/** Longer than a balancer's usual minute, so that it is the balancer who ends an idle connection. */
const KEEP_ALIVE_MS = 72_000;
/** A client that sends its request slower than this is cut off. */
const REQUEST_TIMEOUT_MS = 60_000;

/** Answers hold money and keys: nobody may keep, frame or guess the type of one. */
const SECURITY_HEADERS = {
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
};
/** The browsable documentation brings its own scripts and styles, and takes nothing from elsewhere. */
const DOCS_POLICY =
  "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'; form-action 'none'";

/** Whether the process is on its way out; from then on, requests are turned away. */
export interface Closing {
  begun: boolean;
}

export function createServer({ logLevel }: Pick<RunSettings, "logLevel">, closing: Closing): FastifyAdapter {
  const options: FastifyServerOptions = {
    logger: { level: logLevel, redact: ["req.headers.authorization"] },
    logController: new LogController({ disableRequestLogging: true }),
    // A child logger for each request costs more than a reservation's validation.
    childLoggerFactory: (logger) => logger,
    bodyLimit: BODY_LIMIT_BYTES,
    keepAliveTimeout: KEEP_ALIVE_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    routerOptions: { maxParamLength: PARAM_LIMIT },
    // The hooks below answer instead, as a problem.
    return503OnClosing: false,
    onProtoPoisoning: "error",
    onConstructorPoisoning: "error",
    frameworkErrors: (error, _request, reply) => {
      // These are found before any hook runs.
      void reply.headers(SECURITY_HEADERS);
      sendProblem(reply, problemOf(error) ?? new Problem("not_found", "There is nothing at this path."));
    },
    clientErrorHandler: (_error, socket) => refuseBytes(socket),
  };
  // No Nest middleware is used.
  const adapter = new FastifyAdapter({ ...options, skipMiddie: true } as FastifyServerOptions);
  const server = adapter.getInstance<FastifyInstance>();
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
    const invalid = Object.assign(new Error("not UTF-8"), { statusCode: 400, code: "FST_ERR_CTP_INVALID_JSON_BODY" });
    if (!isUtf8(body)) return done(invalid, undefined);
    void parse(request, body.toString("utf8"), done);
  });
}

function addHooks(server: FastifyInstance, closing: Closing): void {
  server.decorateRequest("tenantId", "");
  server.addHook("onRequest", (request, reply, done) => {
    void reply.headers(SECURITY_HEADERS);
    if (request.url.startsWith("/docs")) void reply.header("content-security-policy", DOCS_POLICY);
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
    server.log.debug({ method, path: pathOf(request), status: reply.statusCode, ms }, "request");
    done();
  });
}

/** Bytes that are no HTTP request: there is no request to answer, only a connection. */
function refuseBytes(socket: Socket): void {
  if (!socket.writable) return void socket.destroy();
  const body = JSON.stringify(problemBody("validation_failed", { detail: "This is not a valid HTTP request." }, "/"));
  const type = problemHeaders("validation_failed")["content-type"]!;
  const length = Buffer.byteLength(body);
  socket.end(
    `HTTP/1.1 400 Bad Request\r\nContent-Type: ${type}\r\nContent-Length: ${length}\r\nConnection: close\r\n\r\n${body}`,
  );
}
