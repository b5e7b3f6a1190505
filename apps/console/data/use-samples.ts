import { useEffect, useState } from "react";

export interface Sample<T> {
  /** Milliseconds since 1970, by the browser's clock. */
  readonly at: number;
  readonly value: T;
}

const MOST = 150;

/** What a figure was each time it was known, since the page was opened. */
export function useSamples<T>(value: T | undefined, askedAt: number): readonly Sample<T>[] {
  const [samples, setSamples] = useState<readonly Sample<T>[]>([]);
  useEffect(() => {
    if (value === undefined || askedAt === 0) return;
    setSamples((old) => (old.at(-1)?.at === askedAt ? old : [...old, { at: askedAt, value }].slice(-MOST)));
  }, [askedAt, value]);
  return samples;
}
