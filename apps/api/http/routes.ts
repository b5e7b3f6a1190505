import { applyDecorators, Controller, UseGuards } from "@nestjs/common";
import { ApiBearerAuth, ApiTags } from "@nestjs/swagger";
import { AdminGuard, TenantGuard } from "../auth/guards.js";

/** Routes for a tenant's own key: `request.tenantId` is the tenant. */
export function TenantRoutes(path: string): ClassDecorator {
  return applyDecorators(
    Controller(`v1/${path}`),
    UseGuards(TenantGuard),
    ApiTags("tenant"),
    ApiBearerAuth("tenantKey"),
  );
}

/** Routes for the operator's key. */
export function AdminRoutes(path: string): ClassDecorator {
  return applyDecorators(
    Controller(`v1/admin/${path}`),
    UseGuards(AdminGuard),
    ApiTags("admin"),
    ApiBearerAuth("adminKey"),
  );
}
