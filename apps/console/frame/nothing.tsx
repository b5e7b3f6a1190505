import { Link } from "react-router";
import { useTitle } from "./title.js";

export function Nothing() {
  useTitle("Nothing here");
  return (
    <>
      <h1>There is nothing here</h1>
      <p>
        The address may be mistyped. <Link to="/">Go to the start</Link>
      </p>
    </>
  );
}
