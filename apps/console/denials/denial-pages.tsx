import { useParams } from "react-router";
import css from "../data/data.module.css";
import { useTitle } from "../frame/title.js";
import { DenialsPanel } from "./denials-panel.js";
import { Explanation } from "./explanation.js";
import { OWN, type Places } from "./places.js";

/** What a tenant was denied, for itself. */
export function OwnDenialsPage() {
  useTitle("Denials");
  return (
    <div className={css.stack}>
      <h1>Denials</h1>
      <DenialsPanel places={OWN} />
    </div>
  );
}

export function OwnDenialPage() {
  const { denialId = "" } = useParams();
  useTitle("A denial");
  return (
    <div className={css.stack}>
      <h1>A denial</h1>
      <Explanation id={denialId} places={OWN} />
    </div>
  );
}

/** One denial in the page of its tenant. */
export function DenialTab({ places }: { readonly places: Places }) {
  const { denialId = "" } = useParams();
  return <Explanation id={denialId} places={places} />;
}
