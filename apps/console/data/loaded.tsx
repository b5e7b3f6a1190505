import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Notice } from "../frame/notice.js";
import css from "./data.module.css";

interface Props<T> {
  readonly query: UseQueryResult<T>;
  readonly children: (data: T) => ReactNode;
}

/** What was asked for; old figures stay on the screen, with what went wrong above them. */
export function Loaded<T>({ query, children }: Props<T>) {
  return (
    <>
      {query.error && <Notice error={query.error} onRetry={() => void query.refetch()} />}
      {query.data === undefined ? !query.error && <p className={css.muted}>Loading …</p> : children(query.data)}
    </>
  );
}
