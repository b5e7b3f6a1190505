import css from "../data/data.module.css";
import { useTitle } from "../frame/title.js";
import { WebhooksPanel } from "./webhooks-panel.js";

/** The operator's own, which are told of every tenant. */
export function WebhooksPage() {
  useTitle("Webhooks");
  return (
    <div className={css.stack}>
      <h1>Webhooks</h1>
      <WebhooksPanel path="/v1/admin/webhooks" />
    </div>
  );
}
