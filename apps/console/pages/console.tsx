import { Nothing } from "../frame/nothing.js";

/** The pages of whoever is signed in. */
export default function Console() {
  return <Nothing />;
}
