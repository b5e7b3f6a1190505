import { Button } from "@mantine/core";
import type { Decision } from "#libs/plan";
import type { Lab } from "./use-lab.js";
import { suggestionsOf } from "./words.js";
import css from "./lab.module.css";

interface Props {
  readonly decision: Decision;
  readonly lab: Lab;
}

/** What would have fitted, each with a button that tries it; nothing where the job fitted. */
export function Suggestions({ decision, lab }: Props) {
  const suggestions = suggestionsOf(decision, lab.run.inputs);
  if (suggestions.length === 0) return null;
  return (
    <ul className={css.suggestions} aria-label="Advice" data-testid="advice">
      {suggestions.map(({ text, change }) => (
        <li key={text}>
          <span>{text}</span>
          {change && (
            <Button size="compact-xs" variant="default" onClick={() => lab.change(change)}>
              Try it
            </Button>
          )}
        </li>
      ))}
    </ul>
  );
}
