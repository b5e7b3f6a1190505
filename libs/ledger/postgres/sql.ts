import type pg from "pg";
import { classify } from "./connection.js";

/** A prepared statement: its name is that of its text for good, on every connection. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

/** All of them, by name. */
export const STATEMENTS = new Map<string, string>();

export function statement(name: string, text: string): Statement {
  STATEMENTS.set(name, text);
  return { name: `hf_${name}`, text };
}

/**
 * The rows of `table` (with an alias) for each row before it in a join, sought by all of `condition`. The planner would
 * otherwise pull a part of it out of the join wherever it believes the table to be small: and then walk through all rows
 * of a tenant for each that is wanted, for as long as it keeps the plan.
 */
export function sought(table: string, condition: string): string {
  const [, alias] = table.split(" ");
  return `LATERAL (SELECT * FROM ${table} WHERE ${condition} OFFSET 0) AS ${alias}`;
}

/** Runs a prepared statement; rows are arrays, in the order of the select list. @throws RecordUnreachable */
export async function rowsOf<Row extends unknown[]>(
  client: pg.ClientBase | pg.Pool,
  { name, text }: Statement,
  values: unknown[] = [],
): Promise<Row[]> {
  try {
    const result = await client.query<Row>({ name, text, values, rowMode: "array" });
    return result.rows;
  } catch (error) {
    throw classify(error);
  }
}

/** Whatever `send` sends goes to the server in one write: a flight of statements costs one call of the system, not one each. */
export function inOneFlight<T>(client: pg.ClientBase, send: () => T): T {
  const { stream } = (client as pg.Client).connection;
  stream.cork();
  try {
    return send();
  } finally {
    stream.uncork();
  }
}

/** SQL for a timestamp as milliseconds since 1970. */
export function ms(column: string): string {
  return `(extract(epoch from ${column}) * 1000)::bigint`;
}
