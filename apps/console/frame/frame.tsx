import { NavLink, useLocation } from "react-router";
import { useSessions } from "../api/session.js";
import { LiveBadge } from "../live/badge.js";
import { Pages } from "../pages/pages.js";
import { Guard } from "./guard.js";
import { SchemeSwitch } from "./scheme-switch.js";
import css from "./frame.module.css";

const ADMIN_LINKS = [
  { to: "/", text: "Overview" },
  { to: "/tenants", text: "Tenants" },
  { to: "/services", text: "Services" },
  { to: "/reconciler", text: "Reconciler" },
  { to: "/webhooks", text: "Webhooks" },
];
const TENANT_LINKS = [
  { to: "/", text: "Overview" },
  { to: "/jobs", text: "Jobs" },
  { to: "/denials", text: "Denials" },
  { to: "/ledger", text: "Ledger" },
];
const STRANGER_LINKS = [{ to: "/", text: "Sign in" }];

/** What stands around every page. */
export function Frame() {
  const { session, signOut } = useSessions();
  const { pathname } = useLocation();
  const links = session === null ? STRANGER_LINKS : session.kind === "admin" ? ADMIN_LINKS : TENANT_LINKS;
  return (
    <>
      <a className={css.skip} href="#content">
        Skip to the content
      </a>
      <header className={css.header}>
        <NavLink to="/" className={css.brand} aria-label="Holdfast, start">
          <img src="/favicon.svg" alt="" width="26" height="26" />
          <span>Holdfast</span>
        </NavLink>
        <nav className={css.nav} aria-label="Pages">
          {[...links, { to: "/lab", text: "Lab" }].map(({ to, text }) => (
            <NavLink key={to} to={to} end={to === "/"} className={css.link}>
              {text}
            </NavLink>
          ))}
        </nav>
        <div className={css.tools}>
          <LiveBadge />
          <a className={css.link} href="/docs">
            API
          </a>
          <SchemeSwitch />
          {session !== null && (
            <button type="button" className={css.link} onClick={signOut}>
              Sign out
            </button>
          )}
        </div>
      </header>
      <main id="content" className={css.main} tabIndex={-1}>
        <Guard key={pathname}>
          <Pages />
        </Guard>
      </main>
    </>
  );
}
