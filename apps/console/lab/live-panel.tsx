import { Button, PasswordInput } from "@mantine/core";
import { useEffect, useRef, useState, type FormEvent } from "react";
import { differencesBetween, type LabInputs, type Measured, runModel } from "#libs/plan";
import { useSessions } from "../api/session.js";
import { Notice } from "../frame/notice.js";
import { Panel } from "../frame/panel.js";
import { Compared } from "./compared.js";
import { runLive } from "./live-run.js";
import css from "./lab.module.css";

type Live =
  | { readonly at: "rest" }
  | { readonly at: "work"; readonly decided: number; readonly jobs: number }
  | { readonly at: "end"; readonly inputs: LabInputs; readonly measured: Measured }
  | { readonly at: "fault"; readonly error: unknown };

/** The same inputs through the service, beside what the model says. */
export function LivePanel({ inputs }: { readonly inputs: LabInputs | null }) {
  const { session } = useSessions();
  const [typed, setTyped] = useState("");
  const { live, start, stop } = useLive();
  const signedIn = session?.kind === "admin" ? session.key : null;
  const key = signedIn ?? typed.trim();
  const working = live.at === "work";
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (inputs !== null && key !== "") void start(key, inputs);
  };
  return (
    <Panel title="Run it live">
      <p className={css.meaning}>
        Sends the same inputs to this Holdfast, in a tenant that is made for the run and deleted after it.
      </p>
      <form className={css.live} onSubmit={submit}>
        {signedIn === null ? (
          <PasswordInput
            label="Operator's key"
            description="Used for this run, and kept nowhere."
            value={typed}
            autoComplete="off"
            onChange={(event) => setTyped(event.currentTarget.value)}
            visibilityToggleButtonProps={{ "aria-label": "Show or hide the key" }}
          />
        ) : (
          <p className={css.meaning}>With the key you are signed in with.</p>
        )}
        {working ? (
          <Button variant="default" onClick={stop}>
            Stop
          </Button>
        ) : (
          <Button type="submit" disabled={inputs === null || key === ""}>
            Run it live
          </Button>
        )}
      </form>
      <p className={css.meaning} role="status">
        {working ? `${live.decided} of ${live.jobs} jobs are decided …` : ""}
      </p>
      {live.at === "fault" && <Notice error={live.error} />}
      {live.at === "end" && <Result inputs={live.inputs} measured={live.measured} />}
    </Panel>
  );
}

function Result({ inputs, measured }: { readonly inputs: LabInputs; readonly measured: Measured }) {
  const model = runModel(inputs);
  return <Compared model={model} measured={measured} differences={differencesBetween(measured, model)} />;
}

function useLive() {
  const [live, setLive] = useState<Live>({ at: "rest" });
  const running = useRef<AbortController>(null);
  const stop = (): void => running.current?.abort();
  useEffect(() => () => running.current?.abort(), []);
  const start = async (key: string, inputs: LabInputs): Promise<void> => {
    const controller = new AbortController();
    running.current = controller;
    const { signal } = controller;
    setLive({ at: "work", decided: 0, jobs: inputs.jobs });
    try {
      const onDecision = (decided: number) => setLive({ at: "work", decided, jobs: inputs.jobs });
      const measured = await runLive(key, inputs, { signal, onDecision });
      setLive({ at: "end", inputs, measured });
    } catch (error) {
      setLive(signal.aborted && error === signal.reason ? { at: "rest" } : { at: "fault", error });
    }
  };
  return { live, start, stop };
}
