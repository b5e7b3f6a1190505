import { kindOf, PROBLEM_CODES, type ProblemCode } from "../../apps/api/problems/table.js";
import type { FuzzRequest } from "./fuzz-requests.js";
import { operationAt, type Operation } from "./routes.js";

export interface FuzzAnswer {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

export interface Counted {
  done: number;
  refused: number;
}

/** A reservation as an answer shows it. */
export interface ReservationView {
  readonly id: string;
  readonly state: string;
  readonly reserved: Readonly<Record<string, number>>;
  readonly actual?: Readonly<Record<string, number>>;
}

interface Result {
  readonly status: number;
  readonly body: object;
}

/** What came back: what is wrong with it, how often each operation was done and refused, and what it changed. */
export class FuzzAnswers {
  /** What no answer should be, with its request. */
  readonly faults: string[] = [];
  readonly byOperation = new Map<string, Counted>();
  readonly byStatus = new Map<number, number>();
  readonly reserved = new Map<string, ReservationView["reserved"]>();
  readonly settled = new Map<string, ReservationView["actual"]>();
  readonly released = new Set<string>();
  sent = 0;
  done = 0;

  /** Whether it was refused; what was made is told to `made`. */
  take(request: FuzzRequest, answer: FuzzAnswer, made: (body: object, request: FuzzRequest) => void): boolean {
    const operation = operationAt(request.method === "HEAD" ? "GET" : request.method, request.path);
    const fault = faultOf(operation, request, answer);
    if (fault !== undefined)
      this.faults.push(`${fault}: ${show(request)} → ${answer.status} ${answer.text.slice(0, 500)}`);
    this.count(operation, answer.status);
    if (answer.status >= 300) return true;
    if (request.method === "HEAD") return false;
    const body = JSON.parse(answer.text) as object;
    made(body, request);
    if (request.method === "POST") this.note(body);
    return false;
  }

  private count(operation: Operation | undefined, status: number): void {
    this.sent += 1;
    if (status < 300) this.done += 1;
    this.byStatus.set(status, (this.byStatus.get(status) ?? 0) + 1);
    if (!operation) return;
    const counted = this.byOperation.get(operation.id) ?? { done: 0, refused: 0 };
    this.byOperation.set(operation.id, counted);
    counted[status < 300 ? "done" : "refused"] += 1;
  }

  private note(body: object): void {
    const { results } = body as { results?: readonly Result[] };
    for (const each of results ? results.map((result) => result.body) : [body]) {
      const { id, state, reserved, actual } = each as ReservationView;
      if (typeof id !== "string" || !id.startsWith("rsv_")) continue;
      // A replay shows the reservation as it was at first, so that the first state is known of each.
      if (state === "open") this.reserved.set(id, reserved);
      if (state === "settled") this.settled.set(id, actual);
      if (state === "released") this.released.add(id);
    }
  }
}

/** Also the statuses that any path has, which no operation needs to name. */
const WITHOUT_ROUTE = [400, 404];

function faultOf(operation: Operation | undefined, request: FuzzRequest, answer: FuzzAnswer): string | undefined {
  const { status, type, text } = answer;
  if (status >= 500 && !isShed(text)) return "a fault of the service";
  if (!(operation?.statuses ?? WITHOUT_ROUTE).includes(status)) return "a status that is not documented";
  if (status >= 300) {
    if (!type.startsWith("application/problem+json")) return "a refusal that is no problem";
    return request.method === "HEAD" ? undefined : problemFault(status, JSON.parse(text) as object);
  }
  if (request.method === "HEAD") return undefined;
  if (!type.startsWith("application/json")) return "an answer that is not JSON";
  const { results = [] } = JSON.parse(text) as { results?: readonly Result[] };
  const faults = results.map(({ status: each, body }) => (each >= 300 ? problemFault(each, body) : undefined));
  return faults.find((fault) => fault !== undefined);
}

function problemFault(status: number, body: object): string | undefined {
  const { code, status: said } = body as { code: ProblemCode; status: number };
  if (!PROBLEM_CODES.includes(code)) return "a code that is not known";
  if (kindOf(code).status !== status || said !== status) return "a code of another status";
  return status >= 500 && !isShed(code) ? "a fault of the service" : undefined;
}

/** Flow control did its work. */
function isShed(text: string): boolean {
  return /queue_full|breaker_open/.test(text);
}

export function show({ method, path, headers, body = "" }: FuzzRequest): string {
  const shown = headers.map((text) => text.replace(/(hfk_.{20}).*/, "$1…").slice(0, 60));
  return `${method} ${path.slice(0, 300)} ${JSON.stringify(shown)} ${body.slice(0, 500)}`;
}
