import { Button, PasswordInput } from "@mantine/core";
import { useState, type FormEvent, type ReactNode } from "react";
import { Link } from "react-router";
import { recognise, useSessions } from "../api/session.js";
import { Notice } from "../frame/notice.js";
import { useTitle } from "../frame/title.js";
import css from "./sign-in.module.css";

/** Shows its children to whoever is signed in, and the form to everybody else. */
export function SignedIn({ children }: { readonly children: ReactNode }) {
  const { session } = useSessions();
  return session === null ? <SignIn /> : children;
}

function SignIn() {
  useTitle("Sign in");
  const { signIn } = useSessions();
  const [key, setKey] = useState("");
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    setError(null);
    try {
      signIn(await recognise(key.trim()));
    } catch (problem) {
      setError(problem);
      setBusy(false);
    }
  };
  return (
    <div className={css.page}>
      <form className={css.form} onSubmit={(event) => void submit(event)}>
        <h1>Sign in</h1>
        <p>With the operator's key, or the key of a tenant. It is kept for this tab only.</p>
        <PasswordInput
          label="Key"
          value={key}
          onChange={(event) => setKey(event.currentTarget.value)}
          autoComplete="off"
          spellCheck={false}
          visibilityToggleButtonProps={{ "aria-label": "Show or hide the key" }}
        />
        {error !== null && <Notice error={error} />}
        <Button type="submit" loading={busy} disabled={key.trim() === ""}>
          Sign in
        </Button>
        <p className={css.hint}>
          No key? <Link to="/lab">The lab</Link> needs none.
        </p>
      </form>
    </div>
  );
}
