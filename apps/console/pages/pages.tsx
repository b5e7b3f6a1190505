import { lazy, Suspense, useEffect } from "react";
import { Route, Routes, useLocation } from "react-router";
import { Nothing } from "../frame/nothing.js";
import { LabPage } from "../lab/lab-page.js";
import css from "./pages.module.css";
import { SignedIn } from "./sign-in.js";

const Console = lazy(() => import("./console.js"));

/** The lab comes with the first load, since it needs no key; the rest comes when somebody has signed in. */
export function Pages() {
  const { pathname } = useLocation();
  useEffect(() => {
    window.scrollTo(0, 0);
  }, [pathname]);
  return (
    <Routes>
      <Route path="/lab" element={<LabPage />} />
      <Route path="/lab/*" element={<Nothing />} />
      <Route
        path="*"
        element={
          <SignedIn>
            {/* In here, since what is around it stays mounted while it waits: the form would keep its key. */}
            <Suspense fallback={<p className={css.waiting}>Loading …</p>}>
              <Console />
            </Suspense>
          </SignedIn>
        }
      />
    </Routes>
  );
}
