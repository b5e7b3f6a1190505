import css from "../data/data.module.css";
import { useTitle } from "../frame/title.js";
import { LedgerPanel } from "./ledger-panel.js";

/** A tenant's own ledger. */
export function OwnLedgerPage() {
  useTitle("Ledger");
  return (
    <div className={css.stack}>
      <h1>Ledger</h1>
      <LedgerPanel path="/v1/ledger" jobsOf={() => "/jobs"} />
    </div>
  );
}
