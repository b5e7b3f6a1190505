/** A fault put into the source by hand: the simulation must find it. */
export interface Mutation {
  readonly name: string;
  /** In these files, this text, which stands there once, becomes that. */
  readonly edits: readonly Edit[];
  /** What the finding says. */
  readonly finds: RegExp;
  /** Where to begin, so that what few seeds find is found soon; 1 unless given. */
  readonly firstSeed?: number;
}

export interface Edit {
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

export const edit = (file: string, from: string, to: string): Edit => ({ file, from, to });

/** The belt: the record repeats the limit as a condition. */
export const noBelt = edit("test/simulation/tables.ts", "if (bound && !fits)", "if (false)");

/** Nor does it compare the versions that were read. */
export const noVersions = edit(
  "test/simulation/tables.ts",
  "if ((rows.get(balance.key)?.version ?? 0) !== readVersion)",
  "if (false)",
);
