import { useId, type ReactNode } from "react";
import css from "./panel.module.css";

interface Props {
  readonly title: string;
  readonly children: ReactNode;
  /** Beside the title. */
  readonly aside?: ReactNode;
  readonly className?: string;
}

/** A part of a page, with a heading that names it. */
export function Panel({ title, children, aside, className }: Props) {
  const id = useId();
  return (
    <section className={[css.panel, className].filter(Boolean).join(" ")} aria-labelledby={id}>
      <div className={css.head}>
        <h2 id={id}>{title}</h2>
        {aside}
      </div>
      {children}
    </section>
  );
}
