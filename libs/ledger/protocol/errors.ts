/** The record cannot be reached, or did not answer in time: the outcome is unknown, and the same key may be sent again. */
export class LedgerUnavailable extends Error {
  constructor(reason: string, options?: ErrorOptions) {
    super(`the record is unavailable: ${reason}`, options);
    this.name = "LedgerUnavailable";
  }
}

/** This process is stopping: nothing was taken, and another replica or a later try will serve. */
export class ShuttingDown extends Error {
  constructor() {
    super("shutting down");
    this.name = "ShuttingDown";
  }
}
