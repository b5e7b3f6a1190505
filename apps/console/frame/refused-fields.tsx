import { createContext, useContext, useEffect, useMemo, useRef, type ReactNode } from "react";
import { fieldErrorsOf, type FieldErrors } from "../api/field-errors.js";
import { Notice } from "./notice.js";

interface Refused {
  readonly errors: FieldErrors;
  /** The pointers that a field of the form shows itself. */
  readonly shown: Set<string>;
}

const Context = createContext<Refused>({ errors: {}, shown: new Set() });

interface Props {
  readonly error: unknown;
  readonly children: ReactNode;
}

/** A form, each of whose fields shows what the API says of it; below it what went wrong, and of fields that it has not. */
export function RefusedFields({ error, children }: Props) {
  const shown = useRef(new Set<string>()).current;
  const value = useMemo(() => ({ errors: fieldErrorsOf(error), shown }), [error, shown]);
  const others = Object.entries(value.errors).filter(([pointer]) => !shown.has(pointer));
  return (
    <Context.Provider value={value}>
      {children}
      {error !== null && (
        <Notice error={error}>
          {others.map(([pointer, message]) => (
            <p key={pointer}>
              {pointer !== "" && <code>{pointer}</code>} {message}
            </p>
          ))}
        </Notice>
      )}
    </Context.Provider>
  );
}

/** What the API said of the field of a request, for whoever shows that field. */
export function useRefused(pointer: string | undefined): string | undefined {
  const { errors, shown } = useContext(Context);
  useEffect(() => {
    if (pointer === undefined) return undefined;
    shown.add(pointer);
    return () => void shown.delete(pointer);
  }, [pointer, shown]);
  return pointer === undefined ? undefined : errors[pointer];
}
