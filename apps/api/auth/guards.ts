import { Injectable, type CanActivate, type ExecutionContext } from "@nestjs/common";
import type { TenantRequest } from "../http/request.js";
import { invalid, Problem } from "../problems/problem.js";
import { acceptsQuery } from "../validation/query.js";
import { Authenticator, type Caller } from "./authenticator.js";

/** Lets one kind of caller through; answers without a promise where the key is known. */
abstract class CallerGuard implements CanActivate {
  constructor(private readonly authenticator: Authenticator) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const request = context.switchToHttp().getRequest<TenantRequest>();
    const caller = this.authenticator.callerOf(request.headers.authorization);
    if (caller instanceof Promise) return caller.then((known) => this.enter(known, request, context));
    return this.enter(caller, request, context);
  }

  private enter(caller: Caller, request: TenantRequest, context: ExecutionContext): true {
    this.admit(caller, request);
    if (request.url.includes("?") && !acceptsQuery(context.getHandler())) refuseQuery(request.query as object);
    return true;
  }

  protected abstract admit(caller: Caller, request: TenantRequest): void;
}

@Injectable()
export class TenantGuard extends CallerGuard {
  constructor(authenticator: Authenticator) {
    super(authenticator);
  }

  protected override admit(caller: Caller, request: TenantRequest): void {
    if (caller.kind !== "tenant") throw new Problem("forbidden", "This route needs the key of a tenant.");
    request.tenantId = caller.tenantId;
  }
}

@Injectable()
export class AdminGuard extends CallerGuard {
  constructor(authenticator: Authenticator) {
    super(authenticator);
  }

  protected override admit(caller: Caller): void {
    if (caller.kind !== "operator") throw new Problem("forbidden", "This route needs the operator's key.");
  }
}

function refuseQuery(query: object): void {
  const errors = Object.keys(query).map((name) => ({ pointer: `/${name}`, message: "is not a known query parameter" }));
  if (errors.length > 0) throw invalid(errors.slice(0, 1));
}
