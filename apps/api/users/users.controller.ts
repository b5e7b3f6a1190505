import { Get } from "@nestjs/common";
import { IdParam } from "../http/params.js";
import { AdminRoutes } from "../http/routes.js";
import { PageQuery, type Listed } from "../lists/page.js";
import { Operation } from "../openapi/operation.js";
import { PrismaClient } from "../record/client.js";
import { Filters } from "../validation/pipe.js";
import { listUsers } from "./list.js";
import { UserView } from "./user.view.js";

@AdminRoutes("tenants/:tenantId/users")
export class UsersController {
  constructor(private readonly record: PrismaClient) {}

  @Get()
  @Operation({
    summary: "List the users of a tenant by name, with what was taken of their limits",
    description: "Whoever ever had something reserved, or has a limit of its own.",
    answer: UserView,
    list: true,
  })
  list(@IdParam("tenant") tenantId: string, @Filters() query: PageQuery): Promise<Listed> {
    return listUsers(this.record, tenantId, query);
  }
}
