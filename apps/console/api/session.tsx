import { createContext, useCallback, useContext, useMemo, useState, type ReactNode } from "react";
import { ApiProblem, call } from "./call.js";

export interface Session {
  readonly key: string;
  readonly kind: "admin" | "tenant";
}

interface Sessions {
  /** null: nobody is signed in. */
  readonly session: Session | null;
  signIn(session: Session): void;
  signOut(): void;
}

/** sessionStorage ends with the tab; no other tab and no later visit finds the key. */
const PLACE = "holdfast.session";
const Context = createContext<Sessions | null>(null);

export function SessionProvider({ children }: { readonly children: ReactNode }) {
  const [session, setSession] = useState(stored);
  const signIn = useCallback((next: Session) => {
    sessionStorage.setItem(PLACE, JSON.stringify(next));
    setSession(next);
  }, []);
  const signOut = useCallback(() => {
    sessionStorage.removeItem(PLACE);
    setSession(null);
  }, []);
  const value = useMemo(() => ({ session, signIn, signOut }), [session, signIn, signOut]);
  return <Context value={value}>{children}</Context>;
}

export function useSessions(): Sessions {
  const sessions = useContext(Context);
  if (!sessions) throw new Error("there is no SessionProvider above");
  return sessions;
}

/** Finds out whose key it is. @throws ApiProblem of 401 when nobody's. */
export async function recognise(key: string): Promise<Session> {
  try {
    await call(key, "GET", "/v1/admin/tenants?limit=1");
    return { key, kind: "admin" };
  } catch (error) {
    if (!(error instanceof ApiProblem) || error.code !== "forbidden") throw error;
  }
  await call(key, "GET", "/v1/balances?limit=1");
  return { key, kind: "tenant" };
}

function stored(): Session | null {
  try {
    const { key, kind } = JSON.parse(sessionStorage.getItem(PLACE) ?? "null") as Session;
    return typeof key === "string" && (kind === "admin" || kind === "tenant") ? { key, kind } : null;
  } catch {
    return null;
  }
}
