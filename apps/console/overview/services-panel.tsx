import { Link } from "react-router";
import type { Page, Service } from "../api/types.js";
import css from "../data/data.module.css";
import { Loaded } from "../data/loaded.js";
import { useGet } from "../data/use-get.js";
import { Panel } from "../frame/panel.js";
import { BreakerTag } from "../services/breaker-tag.js";
import { useNow } from "../services/use-now.js";

const REFRESH_MS = 3_000;
const SHOWN = "20";

export function ServicesPanel() {
  const services = useGet<Page<Service>>(`/v1/admin/services?limit=${SHOWN}`, REFRESH_MS);
  return (
    <Panel title="Breakers" aside={<Link to="/services">All services</Link>}>
      <Loaded query={services}>
        {({ data }) => (
          <div className={css.grid}>
            {data.length === 0 && <p className={css.muted}>No service is named yet.</p>}
            {data.map(({ name }) => (
              <Breaker key={name} name={name} />
            ))}
          </div>
        )}
      </Loaded>
    </Panel>
  );
}

function Breaker({ name }: { readonly name: string }) {
  const { data } = useNow(name);
  return (
    <span className={css.title}>
      <Link to={`/services/${encodeURIComponent(name)}`}>{name}</Link>
      {data && <BreakerTag breaker={data.breaker} />}
    </span>
  );
}
