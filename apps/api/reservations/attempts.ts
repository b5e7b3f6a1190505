import { attemptView } from "#libs/ledger";
import { afterOf, cursorOf } from "../lists/cursor.js";
import { limitOf, type Listed, type PageQuery } from "../lists/page.js";
import { notFound } from "../problems/problem.js";
import type { PrismaClient } from "../record/client.js";
import { attemptOf } from "../record/entities.js";

/** A child and its attempt. */
const PLACE = /^[1-9]\d{0,15}\.[1-9]\d{0,15}$/;

/** The attempts that were charged to a reservation, by child and attempt. Throws Problem where there is none such. */
export async function listAttempts(
  record: PrismaClient,
  tenantId: string,
  reservationId: string,
  query: PageQuery,
): Promise<Listed> {
  const list = `attempts ${reservationId}`;
  const limit = limitOf(query.limit);
  const [child, attempt] = afterOf(list, query.cursor, PLACE)?.split(".").map(BigInt) ?? [0n, 0n];
  const [reservations, rows] = await Promise.all([
    record.reservation.count({ where: { tenantId, id: reservationId } }),
    record.attempt.findMany({
      where: { tenantId, reservationId, OR: [{ child: { gt: child! } }, { child: child!, attempt: { gt: attempt! } }] },
      orderBy: [{ child: "asc" }, { attempt: "asc" }],
      take: limit + 1,
    }),
  ]);
  if (reservations === 0) throw notFound("reservation");
  const shown = rows.slice(0, limit);
  const last = rows.length > limit ? shown.at(-1)! : undefined;
  return {
    data: shown.map((row) => attemptView(attemptOf(row))),
    nextCursor: last ? cursorOf(list, `${last.child}.${last.attempt}`) : null,
  };
}
