import { useState } from "react";
import type { Webhook } from "../api/types.js";
import css from "../data/data.module.css";
import { useAct } from "../data/use-get.js";
import { ActDialog } from "../frame/act-dialog.js";
import { TextField } from "../frame/text-field.js";

const EVENTS: readonly Webhook["events"][number][] = [
  "allowance.threshold",
  "allowance.denied",
  "breaker.changed",
  "audit.drift",
];

interface Props {
  readonly path: string;
  readonly onMade: (secret: string | null) => void;
  readonly onClose: () => void;
}

export function NewWebhook({ path, onMade, onClose }: Props) {
  const [name, setName] = useState("");
  const [url, setUrl] = useState("https://");
  const [events, setEvents] = useState<readonly string[]>(["allowance.denied"]);
  const { mutateAsync } = useAct<{ readonly secret?: string }>();
  const isName = /^[a-z][a-z0-9_.-]{0,63}$/.test(name);
  const act = async (): Promise<void> => {
    const { secret } = await mutateAsync({ method: "PUT", path: `${path}/${name}`, body: { url, events } });
    onMade(secret ?? null);
  };
  const toggle = (event: string): void =>
    setEvents(events.includes(event) ? events.filter((one) => one !== event) : [...events, event]);
  return (
    <ActDialog
      title="New webhook"
      verb="Set it"
      ready={isName && URL.canParse(url) && events.length > 0}
      act={act}
      onClose={onClose}
    >
      <TextField
        pointer="/webhook"
        label="Name"
        description="One that there is already is replaced, and keeps its secret"
        value={name}
        error={name === "" || isName ? undefined : "Small letters, digits, _ . and -, beginning with a letter"}
        onChange={setName}
      />
      <TextField
        pointer="/url"
        label="Address"
        value={url}
        error={
          URL.canParse(url) || url === "https://" ? undefined : "Must be an address such as https://hooks.example.com/x"
        }
        onChange={setUrl}
      />
      <fieldset className={css.choices}>
        <legend>Told of</legend>
        {EVENTS.map((event) => (
          <label key={event}>
            <input type="checkbox" checked={events.includes(event)} onChange={() => toggle(event)} /> {event}
          </label>
        ))}
      </fieldset>
    </ActDialog>
  );
}
