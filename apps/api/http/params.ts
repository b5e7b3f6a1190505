import { createParamDecorator, type ExecutionContext } from "@nestjs/common";
import { ApiParam } from "@nestjs/swagger";
import type { FastifyRequest } from "fastify";
import { OPERATOR } from "#libs/webhooks";
import { idSchema, PERMIT_SCHEMA, ULID_PATTERN } from "../openapi/schemas.js";
import { invalid, notFound } from "../problems/problem.js";
import { UNIT } from "../validation/amounts.js";
import { SERVICE_NAME, SERVICE_RULE } from "../validation/service-name.js";
import { isUserName, USER_RULE, USER_SCHEMA } from "../validation/text.js";

const PREFIXES = { tenant: "ten", key: "key", job: "job", reservation: "rsv", delivery: "dlv", denial: "dny" } as const;
type Named = keyof typeof PREFIXES;

const ULID = new RegExp(`^${ULID_PATTERN}$`);

/** The id of a thing in the path, `:tenantId` and so on. One of the wrong shape is the id of nothing: 404. */
export function IdParam(named: Named): ParameterDecorator {
  return pathParam(`${named}Id`, idSchema(PREFIXES[named]), (value) => {
    if (!isId(named, value)) throw notFound(named);
    return value;
  });
}

export function isId(named: Named, value: string): boolean {
  const prefix = PREFIXES[named];
  return value.startsWith(`${prefix}_`) && ULID.test(value.slice(prefix.length + 1));
}

export function UserParam(): ParameterDecorator {
  return pathParam("user", USER_SCHEMA, (value) => {
    if (!isUserName(value)) throw invalid([{ pointer: "/user", message: USER_RULE }]);
    return value;
  });
}

export function UnitParam(): ParameterDecorator {
  return pathParam("unit", { type: "string", pattern: UNIT.source }, (value) => {
    if (!UNIT.test(value)) throw invalid([{ pointer: "/unit", message: `must match ${UNIT.source}` }]);
    return value;
  });
}

export function ServiceParam(): ParameterDecorator {
  return pathParam("service", { type: "string", pattern: SERVICE_NAME.source }, (value) => {
    if (!SERVICE_NAME.test(value)) throw invalid([{ pointer: "/service", message: SERVICE_RULE }]);
    return value;
  });
}

/** The name of a webhook, by the operator: made like that of a service. */
export function WebhookParam(): ParameterDecorator {
  return pathParam("webhook", { type: "string", pattern: SERVICE_NAME.source }, (value) => {
    if (!SERVICE_NAME.test(value)) throw invalid([{ pointer: "/webhook", message: SERVICE_RULE }]);
    return value;
  });
}

/** Whose webhooks a route is about that names no tenant. */
export const OperatorParam: () => ParameterDecorator = createParamDecorator(() => OPERATOR);

/** A permit carries all that is needed to finish it; whether it is one of ours is told by its signature. */
export function PermitParam(): ParameterDecorator {
  return pathParam("permitId", PERMIT_SCHEMA, (value) => value);
}

function pathParam(name: string, schema: object, check: (value: string) => string): ParameterDecorator {
  const extract = createParamDecorator((_: unknown, context: ExecutionContext) => {
    const { params } = context.switchToHttp().getRequest<FastifyRequest<{ Params: Record<string, string> }>>();
    return check(params[name]!);
  });
  return (target, method, index) => {
    extract()(target, method, index);
    ApiParam({ name, schema })(target, method!, Object.getOwnPropertyDescriptor(target, method!)!);
  };
}
