import { TextInput, type TextInputProps } from "@mantine/core";
import { useRefused } from "./refused-fields.js";

interface Props extends Omit<TextInputProps, "onChange" | "error" | "pointer"> {
  /** Where it stands in the request, as a JSON pointer. */
  readonly pointer: string;
  readonly value: string;
  /** What is wrong with it before it is sent. */
  readonly error?: string | undefined;
  readonly onChange: (text: string) => void;
}

/** A field that also shows what the API said of it. */
export function TextField({ pointer, error, onChange, ...others }: Props) {
  const refused = useRefused(pointer);
  return <TextInput {...others} error={error ?? refused} onChange={(event) => onChange(event.currentTarget.value)} />;
}

/** Why something is done. */
export function ReasonField(props: Pick<Props, "value" | "onChange" | "description">) {
  return <TextField pointer="/reason" label="Reason" maxLength={500} {...props} />;
}
