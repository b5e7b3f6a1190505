import { HttpStatus, Post, Req, Res } from "@nestjs/common";
import type { FastifyReply } from "fastify";
import { Flow, requestIdOf } from "#libs/flow";
import { Ledger, type Charge } from "#libs/ledger";
import { answer } from "../http/answer.js";
import { PermitParam } from "../http/params.js";
import type { TenantRequest } from "../http/request.js";
import { TenantRoutes } from "../http/routes.js";
import { Operation } from "../openapi/operation.js";
import { Problem } from "../problems/problem.js";
import { NoFields, OptionalPayload, Payload } from "../validation/pipe.js";
import { PermitDesk } from "./desk.js";
import { FinishBody } from "./permit.dto.js";
import { FinishedView, LeaseView } from "./permit.view.js";
import { PermitTokens, type HeldPermit } from "./token.js";

@TenantRoutes("permits/:permitId")
export class PermitsController {
  constructor(
    private readonly ledger: Ledger,
    private readonly flow: Flow,
    private readonly desk: PermitDesk,
    private readonly tokens: PermitTokens,
  ) {}

  @Post("heartbeat")
  @Operation({
    summary: "Keep a permit for another lease",
    description: "While Redis is away, places are counted by each process, and a permit is good as it is.",
    answer: LeaseView,
    problems: ["conflict"],
  })
  async heartbeat(
    @PermitParam() id: string,
    @OptionalPayload() _body: NoFields,
    @Req() { tenantId }: TenantRequest,
  ): Promise<object> {
    const { permit } = this.tokens.read(id, tenantId);
    if ((await this.flow.heartbeat(permit)) === "gone")
      throw new Problem("conflict", "The permit has ended: its lease ran out, or it was finished.");
    return { id, leaseMs: permit.leaseMs };
  }

  @Post("finish")
  @Operation({
    summary: "End an attempt: charge what it used, and free its place",
    description:
      "Charged once, in full, also after the lease has ended; the same again answers the same, another outcome or " +
      "amount is a conflict. An attempt that did not succeed is charged as `failed`.",
    answer: FinishedView,
    problems: ["already_settled", "already_released", "attempts_exhausted", "conflict"],
  })
  async finish(
    @PermitParam() id: string,
    @Payload() body: FinishBody,
    @Req() { tenantId }: TenantRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    const held = this.tokens.read(id, tenantId);
    const outcome = await this.ledger.execute(chargeOf(held, body));
    // The fact comes first: a place that is freed late is taken back by its lease, a charge that is lost by nobody.
    const over = outcome.type === "done" || outcome.refusal.code !== "validation_failed";
    if (over) await this.flow.finish(held.permit, body.outcome, await this.desk.serviceOfPermit(held.permit));
    const shown = answer(reply, outcome.type === "done" ? { ...outcome, replayed: false } : outcome, HttpStatus.OK);
    return outcome.type === "done" ? { id, ...shown } : shown;
  }
}

/** Without a key: an attempt is charged once, and its record says by which permit, and how that ended. */
function chargeOf({ permit, reservationId, child }: HeldPermit, { outcome, actual }: FinishBody): Charge {
  const charged = outcome === "succeeded" ? "succeeded" : "failed";
  const { tenantId, attempt } = permit;
  const id = requestIdOf(permit.id);
  const facts = { reservationId, child, attempt, outcome: charged, actual } as const;
  return { type: "charge", tenantId, ...facts, permit: { id, outcome }, key: null };
}
