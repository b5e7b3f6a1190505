import { Delete, Get, Post, Put, Req, type Type } from "@nestjs/common";
import { IdParam, OperatorParam, WebhookParam } from "../http/params.js";
import type { TenantRequest } from "../http/request.js";
import { AdminRoutes, TenantRoutes } from "../http/routes.js";
import { PageQuery, type Listed } from "../lists/page.js";
import { Operation } from "../openapi/operation.js";
import { PrismaClient } from "../record/client.js";
import { Filters, NoFields, OptionalPayload, Payload } from "../validation/pipe.js";
import { listDeliveries, resendDelivery } from "./deliveries.js";
import { WebhookDesk } from "./desk.js";
import { DeliveriesQuery, RotateBody, WebhookBody } from "./webhook.dto.js";
import { DeliveryView, NewSecretView, WebhookView } from "./webhook.view.js";

/** The same routes for webhooks of a tenant and for the operator's own, which differ in whose they are. */
function settingRoutes(Owner: () => ParameterDecorator, whose: string): Type<object> {
  class Routes {
    constructor(readonly desk: WebhookDesk) {}

    @Put(":webhook")
    @Operation({
      summary: `Make a webhook of ${whose}, or replace what is set of it`,
      description: "The secret is in the answer once, when the webhook is made.",
      answer: NewSecretView,
      problems: ["conflict"],
    })
    set(@Owner() owner: string, @WebhookParam() name: string, @Payload() body: WebhookBody): Promise<object> {
      return this.desk.set(owner, name, body);
    }

    @Get()
    @Operation({ summary: `List the webhooks of ${whose} by name`, answer: WebhookView, list: true })
    list(@Owner() owner: string, @Filters() query: PageQuery): Promise<Listed> {
      return this.desk.list(owner, query);
    }

    @Get(":webhook")
    @Operation({ summary: `A webhook of ${whose}`, answer: WebhookView })
    detail(@Owner() owner: string, @WebhookParam() name: string): Promise<object> {
      return this.desk.find(owner, name);
    }

    @Delete(":webhook")
    @Operation({
      summary: `Remove a webhook of ${whose}, its deliveries too: what is not delivered yet is not sent`,
      answer: WebhookView,
    })
    remove(@Owner() owner: string, @WebhookParam() name: string): Promise<object> {
      return this.desk.remove(owner, name);
    }

    @Post(":webhook/rotate")
    @Operation({
      summary: `Give a webhook of ${whose} another secret; for a time both sign`,
      answer: NewSecretView,
    })
    rotate(@Owner() owner: string, @WebhookParam() name: string, @OptionalPayload() body: RotateBody): Promise<object> {
      return this.desk.rotate(owner, name, body);
    }
  }
  return Routes;
}

/** What a webhook was sent, and is to be. */
function deliveryRoutes(Owner: () => ParameterDecorator, whose: string): Type<object> {
  class Routes {
    constructor(
      readonly desk: WebhookDesk,
      readonly record: PrismaClient,
    ) {}

    @Post(":webhook/ping")
    @Operation({
      summary: `Send an event to a webhook of ${whose} that says nothing, to try it`,
      status: 201,
      answer: DeliveryView,
    })
    ping(@Owner() owner: string, @WebhookParam() name: string, @OptionalPayload() _body: NoFields): Promise<object> {
      return this.desk.ping(owner, name);
    }

    @Get(":webhook/deliveries")
    @Operation({
      summary: `List what a webhook of ${whose} was sent, or is to be, newest first`,
      answer: DeliveryView,
      list: true,
    })
    deliveries(
      @Owner() owner: string,
      @WebhookParam() name: string,
      @Filters() query: DeliveriesQuery,
    ): Promise<Listed> {
      return listDeliveries(this.record, owner, name, query);
    }

    @Post(":webhook/deliveries/:deliveryId/resend")
    @Operation({
      summary: `Send a delivery of ${whose} again, under the ids that it had`,
      answer: DeliveryView,
    })
    resend(
      @Owner() owner: string,
      @WebhookParam() name: string,
      @IdParam("delivery") id: string,
      @OptionalPayload() _body: NoFields,
    ): Promise<object> {
      return resendDelivery(this.record, owner, name, id);
    }
  }
  return Routes;
}

@AdminRoutes("tenants/:tenantId/webhooks")
export class WebhooksController extends settingRoutes(() => IdParam("tenant"), "a tenant") {
  constructor(desk: WebhookDesk) {
    super(desk);
  }
}

@AdminRoutes("tenants/:tenantId/webhooks")
export class WebhookDeliveriesController extends deliveryRoutes(() => IdParam("tenant"), "a tenant") {
  constructor(desk: WebhookDesk, record: PrismaClient) {
    super(desk, record);
  }
}

/** Told of every tenant. */
@AdminRoutes("webhooks")
export class OperatorWebhooksController extends settingRoutes(OperatorParam, "the operator") {
  constructor(desk: WebhookDesk) {
    super(desk);
  }
}

@AdminRoutes("webhooks")
export class OperatorWebhookDeliveriesController extends deliveryRoutes(OperatorParam, "the operator") {
  constructor(desk: WebhookDesk, record: PrismaClient) {
    super(desk, record);
  }
}

@TenantRoutes("webhooks")
export class OwnWebhooksController {
  constructor(private readonly desk: WebhookDesk) {}

  @Get()
  @Operation({ summary: "List the tenant's webhooks, which the operator sets", answer: WebhookView, list: true })
  list(@Filters() query: PageQuery, @Req() { tenantId }: TenantRequest): Promise<Listed> {
    return this.desk.list(tenantId, query);
  }
}
