import { useComputedColorScheme, useMantineColorScheme } from "@mantine/core";
import css from "./frame.module.css";

export function SchemeSwitch() {
  const { setColorScheme } = useMantineColorScheme();
  const next = useComputedColorScheme("light") === "dark" ? "light" : "dark";
  return (
    <button type="button" className={css.link} onClick={() => setColorScheme(next)} aria-label={`Use ${next} colours`}>
      {next === "dark" ? "Dark" : "Light"}
    </button>
  );
}
