import { connect, type TLSSocket } from "node:tls";
import { connect as connectInTheClear, type Socket } from "node:net";
import { RedisUrlProblem, type RedisAddress, type RedisHost } from "./address.js";

/** The server's alert: ours is missing, or not one that it trusts. */
export const WANTS_OURS = /ALERT.*(CERTIFICATE|UNKNOWN_CA)/;
export const WANTS_OURS_SAYS = "leads to a server that wants another client certificate, by cert and key";

/** Longest wait for what a server says to a greeting, milliseconds. */
const GREETING_MS = 450;

/**
 * Why a server that is there says nothing. Redis leaves a TLS handshake unanswered in the clear, closes on commands in
 * the clear where it wants TLS, and may close before its alert is read where it wants a certificate.
 */
export async function problemOfSilence({ tls }: RedisAddress, host: RedisHost): Promise<RedisUrlProblem | undefined> {
  const code = await handshake(host, tls ?? {});
  if (!tls)
    return isTls(code) ? new RedisUrlProblem("leads to a server that wants TLS: begin it with rediss") : undefined;
  if (WANTS_OURS.test(code)) return new RedisUrlProblem(`${WANTS_OURS_SAYS} (${code})`);
  if (isTls(code) || !(await answersInTheClear(host))) return undefined;
  return new RedisUrlProblem("leads to a server that speaks no TLS: begin it with redis");
}

/** A certificate that is not trusted is one. */
function isTls(code: string): boolean {
  return code === "done" || /CERT|LEAF_SIGNATURE|ISSUER|ALERT/.test(code);
}

/** `done`, the code of what went wrong, or `silent`. Sends nothing after the handshake, so that an alert arrives. */
function handshake({ host, port }: RedisHost, tls: NonNullable<RedisAddress["tls"]>): Promise<string> {
  let done = false;
  return greeted(connect({ host, port, ...tls }), (socket: TLSSocket, finish) => {
    socket.once("secureConnect", () => (done = true));
    socket.once("error", (error: NodeJS.ErrnoException) => finish(error.code ?? "silent"));
  }).then((code) => (code === "silent" && done ? "done" : code));
}

async function answersInTheClear({ host, port }: RedisHost): Promise<boolean> {
  const greeting = greeted(connectInTheClear({ host, port }), (socket: Socket, finish) => {
    socket.once("connect", () => socket.write("PING\r\n"));
    socket.once("data", (data) => finish(/^[+-]/.test(data.toString("latin1")) ? "answer" : "silent"));
    socket.once("error", () => finish("silent"));
  });
  return (await greeting) === "answer";
}

function greeted<S extends Socket>(socket: S, listen: (socket: S, finish: (said: string) => void) => void) {
  return new Promise<string>((resolve) => {
    const timer = setTimeout(() => finish("silent"), GREETING_MS);
    const finish = (said: string): void => {
      clearTimeout(timer);
      socket.on("error", () => undefined).destroy();
      resolve(said);
    };
    socket.once("close", () => finish("silent"));
    listen(socket, finish);
  });
}
