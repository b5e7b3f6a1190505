import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { requestIdOf, type Permit } from "#libs/flow";
import { notFound } from "../problems/problem.js";
import { Prisma, type PrismaClient } from "../record/client.js";
import { patiently } from "../record/patiently.js";

/** What its holder hands back to finish a permit: all that any process needs for it, also where Redis was lost. */
export interface HeldPermit {
  readonly permit: Permit;
  readonly reservationId: string;
  readonly child: number;
}

const ROW = "permits";
const SIGNATURE_BYTES = 16;

/** Makes and reads the ids of permits: `<att_…>.<what is permitted>.<signature>`. */
export class PermitTokens {
  constructor(private readonly secret: Buffer) {}

  /** All replicas on one record sign with one secret, made by whichever comes first. */
  static async open(record: PrismaClient): Promise<PermitTokens> {
    const made = randomBytes(32).toString("base64");
    await patiently(() =>
      record.$executeRaw(Prisma.sql`
        INSERT INTO secrets (name, value, created_at) VALUES (${ROW}, ${made}, holdfast_now()) ON CONFLICT (name) DO NOTHING`),
    );
    const { value } = await patiently(() => record.secret.findUniqueOrThrow({ where: { name: ROW } }));
    return new PermitTokens(Buffer.from(value, "base64"));
  }

  write(held: HeldPermit): string {
    const content = `${requestIdOf(held.permit.id)}.${Buffer.from(JSON.stringify(held)).toString("base64url")}`;
    return `${content}.${this.sign(content).toString("base64url")}`;
  }

  /** Throws Problem for what we did not write, and for what belongs to another tenant. */
  read(token: string, tenantId: string): HeldPermit {
    const [id, content, signature, ...more] = token.split(".");
    if (content === undefined || signature === undefined || more.length > 0) throw notFound("permit");
    const expected = this.sign(`${id}.${content}`).toString("base64url");
    // Compared as text: several texts would decode to the same bytes.
    if (!sameText(signature, expected)) throw notFound("permit");
    const held = JSON.parse(Buffer.from(content, "base64url").toString("utf8")) as HeldPermit;
    if (held.permit.tenantId !== tenantId) throw notFound("permit");
    return held;
  }

  private sign(content: string): Buffer {
    return createHmac("sha256", this.secret).update(content).digest().subarray(0, SIGNATURE_BYTES);
  }
}

function sameText(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}
