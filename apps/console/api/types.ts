import type { components } from "../generated/openapi.d.js";

type Schemas = components["schemas"];

export type Tenant = Schemas["TenantView"];
export type Balance = Schemas["BalanceView"];
export type Reservation = Schemas["ReservationView"];
export type DryRun = Schemas["DryRunView"];
export type WouldDeny = Schemas["WouldDenyView"];
export type Denial = Schemas["DenialProblemView"];
export type ListedDenial = Schemas["DenialView"];
export type DenialDetail = Schemas["DenialDetailView"];
export type BoundScope = Schemas["BoundView"];
export type Job = Schemas["JobView"];
export type JobDetail = Schemas["JobDetailView"];
export type Attempt = Schemas["AttemptView"];
export type Entry = Schemas["EntryView"];
export type Key = Schemas["KeyView"];
export type NewKey = Schemas["NewKeyView"];
export type User = Schemas["UserView"];
export type Act = Schemas["ActView"];
export type TenantService = Schemas["TenantServiceView"];
export type TenantServiceDetail = Schemas["TenantServiceDetailView"];
export type ServiceTenant = Schemas["ServiceTenantView"];
export type UserAllowance = Schemas["UserAllowanceView"];
export type Service = Schemas["ServiceView"];
export type ServiceDetail = Schemas["ServiceDetailView"];
export type Run = Schemas["ReconcileRunView"];
export type Webhook = Schemas["WebhookView"];
export type Delivery = Schemas["DeliveryView"];
export type History = Schemas["HistoryView"];
export type ServiceHistory = Schemas["ServiceHistoryView"];
export type Ready = Schemas["ReadyView"];

/** One page of a list. */
export interface Page<T> {
  readonly data: readonly T[];
  /** null on the last page. */
  readonly nextCursor: string | null;
}
