import css from "./data.module.css";

interface Props {
  readonly label: string;
  readonly value: string;
  readonly options: readonly string[];
  /** What no choice is called. */
  readonly none?: string;
  readonly onChange: (value: string) => void;
}

/** The browser's own list: it needs no script to be used by keyboard, finger or screen reader. */
export function Choice({ label, value, options, none, onChange }: Props) {
  return (
    <label className={css.field}>
      {label}
      <select value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        {none !== undefined && <option value="">{none}</option>}
        {options.map((option) => (
          <option key={option} value={option}>
            {option.replaceAll("_", " ")}
          </option>
        ))}
      </select>
    </label>
  );
}
