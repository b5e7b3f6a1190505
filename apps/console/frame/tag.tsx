import type { ReactNode } from "react";
import css from "./tag.module.css";

export type Tone = "good" | "bad" | "warned" | "plain";

/** A state in a word; the tone only repeats in colour what the word says. */
export function Tag({ tone, children }: { readonly tone: Tone; readonly children: ReactNode }) {
  return <span className={`${css.tag} ${css[tone]}`}>{children}</span>;
}
