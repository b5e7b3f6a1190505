import { Get, Req, Res } from "@nestjs/common";
import { ApiHeader } from "@nestjs/swagger";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Caller } from "../auth/authenticator.js";
import type { TenantRequest } from "../http/request.js";
import { AdminRoutes, TenantRoutes } from "../http/routes.js";
import { StreamOperation } from "../openapi/operation.js";
import { EventDesk } from "./desk.js";
import { EVENT_STREAM } from "./stream.js";

const SAID = `Never ends by itself while the key is valid. Each event says what has changed, not how: ask again for what is shown.

- \`everything\` \`{}\`: anything may have changed; the first event, unless \`Last-Event-ID\` names one that this process remembers.
- \`changed\` \`{ topics }\`: some of TOPICS.
- \`unavailable\` \`{ what }\`, \`available\` \`{}\`: changes cannot be seen meanwhile, and are told afterwards.
- \`end\` \`{ code }\`: the stream ends, by the code of a problem.

A comment comes every 15 s. A client that reads too slowly is cut off.`;

const said = (topics: string, more = ""): string => SAID.replace("TOPICS", topics) + more;

const LastEventId = (): MethodDecorator & ClassDecorator =>
  ApiHeader({
    name: "Last-Event-ID",
    required: false,
    description: "The `id` of the last event that was seen; one that is not known is as good as none.",
    schema: { type: "string", maxLength: 255 },
  });

/** No proxy may keep back what is meant for now. */
function answer(desk: EventDesk, caller: Caller, request: FastifyRequest, reply: FastifyReply): void {
  const lastId = request.headers["last-event-id"];
  const body = desk.open(caller, request.headers.authorization, typeof lastId === "string" ? lastId : undefined);
  // A client that goes away before it has read anything is only seen here.
  reply.raw.once("close", () => body.destroy());
  void reply
    .headers({
      "content-type": EVENT_STREAM,
      "cache-control": "no-store, no-transform",
      "x-accel-buffering": "no",
      connection: "close",
    })
    .send(body);
}

@AdminRoutes("events")
export class AdminEventsController {
  constructor(private readonly desk: EventDesk) {}

  @Get()
  @LastEventId()
  @StreamOperation({
    summary: "What changes, as server-sent events",
    description: said(
      "`tenants`, `jobs`, `ledger`, `denials`, `services`, `reconcile`, `webhooks`, `history`",
      "\n\n`services` `{ services: [{ name, live }] }` says how services stand, as they do at `GET /v1/admin/services/{service}`: " +
        "all at the beginning, afterwards those that stand otherwise. `redis` in `what` says that Redis does not answer.",
    ),
  })
  stream(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    answer(this.desk, { kind: "operator" }, request, reply);
  }
}

@TenantRoutes("events")
export class EventsController {
  constructor(private readonly desk: EventDesk) {}

  @Get()
  @LastEventId()
  @StreamOperation({
    summary: "What changes at the tenant, as server-sent events",
    description: said("`tenants` (its own settings), `jobs`, `ledger` (with it the balances), `denials`"),
  })
  stream(@Req() request: TenantRequest, @Res() reply: FastifyReply): void {
    answer(this.desk, { kind: "tenant", tenantId: request.tenantId }, request, reply);
  }
}
