import { Controller, Get, Res } from "@nestjs/common";
import { ApiExcludeController } from "@nestjs/swagger";
import type { FastifyReply } from "fastify";
import { errorsPage } from "./errors-page.js";

/** Pages for people, besides the browsable reference at /docs. */
@Controller()
@ApiExcludeController()
export class DocsController {
  @Get("docs/errors")
  errors(@Res({ passthrough: true }) reply: FastifyReply): string {
    void reply.type("text/html; charset=utf-8");
    return errorsPage();
  }
}
