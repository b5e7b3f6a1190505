import css from "../data/data.module.css";
import { useTitle } from "../frame/title.js";
import { JobsPanel } from "./jobs-panel.js";

/** A tenant's own jobs. */
export function JobsPage() {
  useTitle("Jobs");
  return (
    <div className={css.stack}>
      <h1>Jobs</h1>
      <JobsPanel path="/v1/jobs" to="/jobs" />
    </div>
  );
}
