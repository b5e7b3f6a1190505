import type { Amounts, Ask, Command, Grounds } from "#libs/ledger";

/** What was asked: a reservation by its plan or its amounts, or the grant of a child job. */
export type Asked = Ask | { readonly grant: Amounts };

/** What is kept of the last denial of a row, as JSON. */
export interface KeptDenial extends Grounds {
  /** The job that asked; of a grant, the one that was to give it. */
  readonly jobId: string;
  /** null: none was named. */
  readonly service: string | null;
  readonly asked: Asked;
}

/** The job that a command asks for, and what it asks. Only these two can be denied. */
export function askOf(command: Command): Pick<KeptDenial, "jobId" | "service" | "asked"> {
  if (command.type === "reserve") {
    const { jobId, service, ask } = command;
    return { jobId, service, asked: ask };
  }
  if (command.type !== "createJob" || !command.parent) throw new Error(`${command.type} cannot be denied`);
  return { jobId: command.parent.jobId, service: null, asked: { grant: command.parent.grant } };
}
