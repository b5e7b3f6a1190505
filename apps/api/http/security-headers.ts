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

const FOR_DATA = { ...EVERYWHERE, "content-security-policy": DATA_POLICY };
const FOR_PAGES = { ...EVERYWHERE, "content-security-policy": PAGES_POLICY };

/** Folders of pages for people. */
const PAGES = /^\/docs(?=$|[/?])/;

/** The headers of every answer to this URL, errors too. */
export function securityHeaders(url: string): Readonly<Record<string, string>> {
  return PAGES.test(url) ? FOR_PAGES : FOR_DATA;
}
