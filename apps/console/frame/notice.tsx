import { Button } from "@mantine/core";
import type { ReactNode } from "react";
import { useSessions } from "../api/session.js";
import { explain } from "../api/remedy.js";
import css from "./notice.module.css";

interface Props {
  readonly error: unknown;
  readonly onRetry?: () => void;
  /** More of what happened. */
  readonly children?: ReactNode;
}

/** What happened and what to do about it. */
export function Notice({ error, onRetry, children }: Props) {
  const { session, signOut } = useSessions();
  const { title, detail, remedy, signIn } = explain(error);
  return (
    <div className={css.notice} role="alert">
      <strong>{title}</strong>
      <p>{detail}</p>
      {children}
      <p className={css.remedy}>{remedy}</p>
      <div className={css.actions}>
        {onRetry && (
          <Button size="xs" variant="default" onClick={onRetry}>
            Try again
          </Button>
        )}
        {signIn && session !== null && (
          <Button size="xs" variant="default" onClick={signOut}>
            Sign in with another key
          </Button>
        )}
      </div>
    </div>
  );
}
