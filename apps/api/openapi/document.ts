import type { INestApplication } from "@nestjs/common";
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from "@nestjs/swagger";

const DESCRIPTION = `Holdfast bounds what an AI agent may start. Before a job dispatches work it reserves the planned cost, all of it or
nothing, at every scope that binds it; afterwards it settles what was really used.

Amounts are integers. Refusals are \`application/problem+json\`: see [the errors](/docs/errors).`;

export function describe(app: INestApplication): OpenAPIObject {
  const config = new DocumentBuilder()
    .setOpenAPIVersion("3.1.0")
    .setTitle("Holdfast")
    .setDescription(DESCRIPTION)
    .setVersion("1")
    .addTag("tenant", "With the key of a tenant, which sees itself alone.")
    .addTag("admin", "With the operator's key.")
    .addTag("health", "For probes; no key is needed.")
    .addBearerAuth({ type: "http", scheme: "bearer", description: "`hfk_…`, made by the operator." }, "tenantKey")
    .addBearerAuth({ type: "http", scheme: "bearer", description: "`hfa_…`, or the key that was set." }, "adminKey")
    .build();
  return closeBodies(SwaggerModule.createDocument(app, config, { operationIdFactory: operationId }));
}

function operationId(controller: string, method: string): string {
  const name = controller.replace(/Controller$/, "");
  return `${name.charAt(0).toLowerCase()}${name.slice(1)}.${method}`;
}

/** Fields that a body does not know are refused. */
function closeBodies(document: OpenAPIObject): OpenAPIObject {
  for (const [name, schema] of Object.entries(document.components?.schemas ?? {})) {
    if (/(Body|Operation|^NoFields)$/.test(name)) Object.assign(schema, { additionalProperties: false });
  }
  return document;
}

/** The browsable reference, from files of this installation alone. Made when somebody first asks: it is a tenth of a start. */
export function serveDocs(app: INestApplication): void {
  SwaggerModule.setup("docs", app, () => describe(app), {
    jsonDocumentUrl: "openapi.json",
    raw: ["json"],
    customSiteTitle: "Holdfast",
    swaggerOptions: { validatorUrl: null, tryItOutEnabled: true, persistAuthorization: false },
  });
}
