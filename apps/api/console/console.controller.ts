import { Controller, Get, Param, Res } from "@nestjs/common";
import { ApiExcludeController } from "@nestjs/swagger";
import type { FastifyReply } from "fastify";
import { notFound } from "../problems/problem.js";
import { ConsoleFiles } from "./files.js";
import { CONSOLE_PAGES } from "./pages.js";

/** The names of assets carry a digest of what they hold, so that one never changes. */
const FOR_GOOD = "public, max-age=31536000, immutable";

/** The console: a start page for every path of its own, and the files that it loads. */
@Controller()
@ApiExcludeController()
export class ConsoleController {
  constructor(private readonly files: ConsoleFiles) {}

  @Get(["", ...CONSOLE_PAGES.flatMap((page) => [page, `${page}/*`])])
  page(@Res({ passthrough: true }) reply: FastifyReply): Buffer {
    return this.send("index.html", reply);
  }

  @Get("favicon.svg")
  favicon(@Res({ passthrough: true }) reply: FastifyReply): Buffer {
    return this.send("favicon.svg", reply);
  }

  @Get("assets/:name")
  asset(@Param("name") name: string, @Res({ passthrough: true }) reply: FastifyReply): Buffer {
    const body = this.send(`assets/${name}`, reply);
    void reply.header("cache-control", FOR_GOOD);
    return body;
  }

  private send(name: string, reply: FastifyReply): Buffer {
    const file = this.files.get(name);
    if (!file) throw notFound("file");
    const takesGzip = /\bgzip\b/.test(String(reply.request.headers["accept-encoding"] ?? ""));
    void reply.type(file.type).header("vary", "accept-encoding");
    if (!file.packed || !takesGzip) return file.plain;
    void reply.header("content-encoding", "gzip");
    return file.packed;
  }
}
