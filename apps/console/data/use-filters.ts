import { useSearchParams } from "react-router";
import type { Params } from "./use-pages.js";

/** Filters of a list that stand in the address, so that a link shows what was seen; an empty value takes one away. */
export function useFilters(names: readonly string[]): readonly [Params, (name: string, value: string) => void] {
  const [params, setParams] = useSearchParams();
  const filters = Object.fromEntries(names.map((name) => [name, params.get(name)]));
  const set = (name: string, value: string): void =>
    setParams(
      (old) => {
        if (value === "") old.delete(name);
        else old.set(name, value);
        return old;
      },
      { replace: true },
    );
  return [filters, set];
}
