import { edit, noBelt, noVersions, type Mutation } from "./mutation.js";

const BINDING = "libs/ledger/domain/binding.ts";
const HOLDERS = "libs/ledger/domain/rules/holders.ts";
const POSTGRES = "test/simulation/postgres.ts";

const inOrder = "for (const id of this.servicesOf(books, wants).sort()) await this.lock(session, id);";
/** The services are locked only when the transaction writes: what was decided on may have changed since. */
const locksAfterDecision = edit(POSTGRES, inOrder, "this.servicesOf(books, wants);");

const noConfigVersions = edit(
  "test/simulation/tables.ts",
  "if (writes.tenant && tables.tenant.configVersion >= writes.tenant.configVersion)",
  "if (false)",
);

/** Faults in what binds the work of all tenants at a service. */
export const SERVICE_MUTATIONS: readonly Mutation[] = [
  {
    name: "a service's allowance is left out of what binds work",
    edits: [
      edit(
        BINDING,
        "return bound.map((unit) => tenantPlace(bookId, settings, unit, now));",
        "return bound && now < 0 ? [tenantPlace(bookId, settings, units[0]!, now)] : [];",
      ),
      noBelt,
    ],
    finds: /services moved "", and tenants/,
  },
  {
    name: "what ends is not given back at its service",
    edits: [edit(HOLDERS, "if (service === null || serviceKeys.length === 0) return [own];", "if (id) return [own];")],
    finds: /services moved ".*", and tenants/,
  },
  {
    name: "services are locked after the decision",
    edits: [locksAfterDecision],
    finds: /failed: /,
  },
  {
    name: "services are locked after the decision, versions are not compared, and the belt is off",
    edits: [locksAfterDecision, noVersions, noConfigVersions, noBelt],
    finds: /at the service|service:.* its entries say/,
  },
  {
    name: "a service counts what its tenants reserve in their windows",
    edits: [
      edit(
        BINDING,
        "const bound = units.filter((unit) => lookUp(settings.allowances, unit));",
        "const bound = units.filter((unit) => lookUp(settings.allowances, unit));\n  now -= 3_600_000;",
      ),
    ],
    finds: /and not service:/,
  },
  {
    name: "a tenant's share of a service is left out of what binds its work",
    edits: [edit(BINDING, "if (service !== null) places.push(", 'if (service === "") places.push('), noBelt],
    finds: /was admitted over a limit|entries say/,
  },
  {
    name: "a tenant's share is told as the service itself",
    edits: [
      edit(
        BINDING,
        'const scope = { kind: "service", id: service, tenantId } as const;',
        'const scope = tenantId ? ({ kind: "service", id: service } as const) : { kind: "service" as const, id: "" };',
      ),
    ],
    finds: /denied at service .* it was never so of late/,
  },
  {
    name: "a tenant's share has the limit that it was first given",
    edits: [
      edit(
        "libs/ledger/domain/rules/services.ts",
        "return { balance, unit, setting, from, to: setting?.limit ?? null };",
        "return { balance, unit, setting, from, to: from ?? null };",
      ),
    ],
    finds: /only .* were taken|would have fitted|once at rest|entries say|over a limit/,
  },
];
