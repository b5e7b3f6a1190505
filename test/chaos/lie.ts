/** What the honest history consists of: the ids of its parts. */
export interface History {
  tenant: string;
  job: string;
  settled: string;
  released: string;
  /** Open, and for the service. */
  shared: string;
  open: string;
  key: string;
  refusedKey: string;
  adjustKey: string;
}

/** The title, what is done to the record, and the beginning of what must be said. */
export type Lie = [title: string, sql: (ids: History) => string, said: RegExp];
