import { isOfConsole } from "../console/pages.js";

/** What browsers are told, in one place. TLS ends before this process, so Strict-Transport-Security is said there. */

const EVERYWHERE = {
  // Answers hold money and keys: nobody may keep, frame or guess the type of one, or read it from another site.
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
};

/** An answer of the API is data: nothing in it may be run or loaded. */
const DATA_POLICY = "default-src 'none'; frame-ancestors 'none'";
/** Pages bring their own scripts and styles, and take nothing from elsewhere. */
const PAGES_POLICY =
  "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; object-src 'none'; base-uri 'none'; " +
  "frame-ancestors 'none'; form-action 'none'";

/** The console is built for it: no inline script and no inline style, and nothing but its own API is asked. */
const CONSOLE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const FOR_DATA = { ...EVERYWHERE, "content-security-policy": DATA_POLICY };
const FOR_PAGES = { ...EVERYWHERE, "content-security-policy": PAGES_POLICY };
const FOR_CONSOLE = { ...EVERYWHERE, "content-security-policy": CONSOLE_POLICY };

/** Folders of pages for people. */
const PAGES = /^\/docs(?=$|[/?])/;

/** The headers of every answer to this URL, errors too. */
export function securityHeaders(url: string): Readonly<Record<string, string>> {
  if (isOfConsole(url)) return FOR_CONSOLE;
  return PAGES.test(url) ? FOR_PAGES : FOR_DATA;
}
