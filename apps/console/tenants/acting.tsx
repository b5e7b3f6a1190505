import type { ReactNode } from "react";
import type { Tenant } from "../api/types.js";
import css from "./acting.module.css";

interface Props {
  readonly tenant: Tenant;
  readonly children: ReactNode;
}

/** Of a deleted tenant everything can be read and nothing done: the API would refuse it. */
export function Acting({ tenant, children }: Props) {
  return (
    <fieldset className={css.acting} disabled={tenant.state === "deleted"}>
      {children}
    </fieldset>
  );
}
