import type { ReactNode } from "react";
import css from "./data.module.css";

export interface Fact {
  readonly title: string;
  readonly value: ReactNode;
  readonly note?: string;
  readonly alarm?: boolean;
}

/** Figures at a glance. */
export function Facts({ facts }: { readonly facts: readonly Fact[] }) {
  return (
    <dl className={css.facts}>
      {facts.map(({ title, value, note, alarm = false }) => (
        <div key={title} className={css.fact} data-alarm={alarm}>
          <dt>{title}</dt>
          <dd>
            {value} {note && <small>{note}</small>}
          </dd>
        </div>
      ))}
    </dl>
  );
}
