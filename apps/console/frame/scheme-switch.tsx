import { useComputedColorScheme, useMantineColorScheme } from "@mantine/core";
import css from "./frame.module.css";

/** Transitions are kept, since they would be switched off by an inline style, which the policy refuses. */
export function SchemeSwitch() {
  const { setColorScheme } = useMantineColorScheme({ keepTransitions: true });
  const next = useComputedColorScheme("light") === "dark" ? "light" : "dark";
  return (
    <button type="button" className={css.link} onClick={() => setColorScheme(next)} aria-label={`Use ${next} colours`}>
      {next === "dark" ? "Dark" : "Light"}
    </button>
  );
}
