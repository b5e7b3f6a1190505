import { edit, noBelt, type Mutation } from "./mutation.js";

const CHARGE = "libs/ledger/domain/rules/charge.ts";
const CLOSE = "libs/ledger/domain/rules/close.ts";
const GRANTS = "libs/ledger/domain/rules/grants.ts";
const HOLDERS = "libs/ledger/domain/rules/holders.ts";
const TABLES = "test/simulation/tables.ts";

/** Faults in the rules that close reservations, charge them, and hand back what was granted. */
export const CLOSING_MUTATIONS: readonly Mutation[] = [
  {
    name: "a late settle is dropped",
    edits: [
      edit(
        CLOSE,
        `const late = reservation.state === "expired" || isOverdue(reservation, now);`,
        `const late = reservation.state === "expired" || isOverdue(reservation, now);
  if (late) return done(reservationView(reservation));`,
      ),
    ],
    finds: /settle was acknowledged, but it is/,
  },
  {
    name: "a close that is repeated does not tell the copies",
    edits: [edit(HOLDERS, "book.consulted.set(balance.key, balance);", "")],
    finds: /it was never so of late/,
    first: 840,
  },
  {
    name: "a settled reservation can be settled again",
    edits: [edit(CLOSE, `if (reservation.state === "settled") {`, "if (!reservation) {")],
    finds: /went from settled to settled|with/,
  },
  {
    name: "a settle that is repeated is refused",
    edits: [edit(CLOSE, "if (sameAmounts(reservation.actual!, command.actual))", "if (!reservation.actual)")],
    finds: /settle was refused \(already_settled\), though/,
  },
  {
    name: "a settle behind the sweep is acknowledged and books nothing",
    edits: [edit(CLOSE, "spent: actual, detail", `spent: reservation.state === "open" ? actual : null, detail`)],
    finds: /of spent, not/,
  },
  {
    name: "what was used above the reservation is not booked",
    edits: [
      edit(
        CLOSE,
        "spent: actual, detail",
        "spent: actual && Object.fromEntries(Object.entries(actual).map(([u, n]) => [u, Math.min(n, reservation.held[u]!)])), detail",
      ),
    ],
    finds: /of spent, not/,
  },
  {
    name: "an expiry books the whole hold as spent",
    edits: [edit(CLOSE, "spent: actual, detail", `spent: type === "expire" ? reservation.held : actual, detail`)],
    finds: /of spent, not/,
  },
  {
    name: "the sweep leaves what is overdue for 2.5 seconds more",
    edits: [
      edit(CLOSE, "!isOverdue(reservation, now)) return done", "!isOverdue(reservation, now - 2_500)) return done"),
    ],
    finds: /ms after its deadline|ms too long/,
  },
  {
    name: "an overdue reservation can be extended",
    edits: [
      edit(
        "libs/ledger/domain/rules/extend.ts",
        "refuseUnlessOpen(reservation, now) ??",
        `(reservation.state === "open" ? null : refuseUnlessOpen(reservation, now)) ??`,
      ),
    ],
    finds: /was extended after its deadline/,
  },
  {
    name: "a reservation can be released after its deadline",
    edits: [
      edit(
        CLOSE,
        `return isOverdue(reservation, now) ? refused("reservation_expired", "The reservation has expired.") : null;`,
        "return null;",
      ),
    ],
    finds: /was released after its deadline|was extended after its deadline/,
  },
  {
    name: "what belongs to a job that has ended can be extended",
    edits: [
      edit(
        "libs/ledger/domain/rules/extend.ts",
        `?? refuseNewWork(book, book.jobs.find(reservation.jobId), "job")`,
        "",
      ),
    ],
    finds: /was extended for a (job|tenant)/,
  },
  {
    name: "nothing is swept",
    edits: [edit(CLOSE, 'if (reservation.state !== "open" || !isOverdue(reservation, now))', "if (true)")],
    finds: /is open .* ms too long/,
  },
  {
    name: "an expired reservation keeps what it held",
    edits: [
      edit(
        HOLDERS,
        "move(balance, { reserved: 0 - freed[unit]!,",
        `move(balance, { reserved: type === "expire" ? 0 : 0 - freed[unit]!,`,
      ),
      edit(HOLDERS, "unit, reserved: 0 - freed[unit]!,", `unit, reserved: type === "expire" ? 0 : 0 - freed[unit]!,`),
    ],
    finds: /expire moved|are held|is open/,
  },
  {
    name: "a charge is booked twice",
    edits: [
      edit(CHARGE, "if (same) return repeat(same, command);", ""),
      edit(TABLES, "if (there.some((one) => one.attempt === attempt))", "if (false)"),
    ],
    finds: /was charged twice/,
  },
  {
    name: "a charge is booked twice, and only the record keeps it from that",
    edits: [edit(CHARGE, "if (same) return repeat(same, command);", "")],
    finds: /failed: attempts: already charged/,
  },
  {
    name: "a success returns nothing",
    edits: [edit(CHARGE, 'plan && outcome === "succeeded" ? plan.attempts - known.length : 1', "1")],
    finds: /charge moved/,
  },
  {
    name: "a plan can be charged beyond what was admitted",
    edits: [edit(CHARGE, "if (child > admittedChildren || attempt > attempts) {", "if (child < 0) {")],
    finds: /beyond its plan/,
  },
  {
    name: "a closed child's grant is kept",
    edits: [edit(GRANTS, "from.reserved - (lookUp(child.allowance, unit) ?? 0)", "from.reserved")],
    finds: /return moved|after the end of/,
  },
  {
    name: "what a child has spent does not reach its parent",
    edits: [edit(GRANTS, "const { spent } = from;", "const spent = from.spent * 0;")],
    finds: /return moved|after the end of/,
  },
  {
    name: "what an ended child settles does not reach its parent",
    edits: [edit(HOLDERS, "if (ancestors.length === 0) return [];", "if (jobId) return [];")],
    finds: /are held|after the end of|negative/,
  },
  {
    name: "the end of a job leaves those below it open",
    edits: [edit("libs/ledger/domain/rules/jobs.ts", "const ending = [...below, job];", "const ending = [job];")],
    finds: /is open below/,
  },
  {
    name: "a grant is not bound by what its parent has left, and the belt is off",
    edits: [edit(GRANTS, "if (grounds && enforced) return", "if (grounds && enforced && !job) return"), noBelt],
    finds: /was granted over a limit/,
  },
];
