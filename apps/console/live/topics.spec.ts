import { topicsOf } from "./topics.js";

it.each([
  ["/v1/admin/tenants", ["tenants"]],
  ["/v1/admin/tenants/ten_1?x=1", ["tenants"]],
  ["/v1/admin/tenants/ten_1/keys", ["tenants"]],
  ["/v1/admin/tenants/ten_1/balances", ["ledger", "tenants"]],
  ["/v1/admin/tenants/ten_1/jobs/job_1", ["jobs", "ledger"]],
  ["/v1/admin/tenants/ten_1/webhooks/a/deliveries", ["webhooks"]],
  ["/v1/admin/services?limit=20", ["services", "ledger"]],
  ["/v1/admin/services/model/history?sinceMs=1", ["history"]],
  ["/v1/admin/services/model/tenants", ["services", "tenants"]],
  ["/v1/admin/services/model/ledger", ["ledger"]],
  ["/v1/admin/tenants/ten_1/services", ["services", "tenants"]],
  ["/v1/admin/tenants/ten_1/services/model", []],
  ["/v1/admin/tenants/ten_1/acts", ["tenants", "jobs"]],
  ["/v1/admin/tenants/ten_1/users/ada/allowances", ["tenants", "ledger"]],
  ["/v1/admin/tenants/ten_1/denials?kind=job", ["denials"]],
  ["/v1/denials/dny_1", ["denials"]],
  ["/v1/jobs", ["jobs", "ledger"]],
  ["/v1/reservations/rsv_1/attempts", ["jobs", "ledger"]],
  ["/health/ready", ["reconcile"]],
  ["/v1/admin/something/new", []],
])("%s depends on %j", (path, topics) => expect(topicsOf(path)).toEqual(topics));
