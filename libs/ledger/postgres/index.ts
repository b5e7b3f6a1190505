export { PostgresRecord, type PostgresOptions } from "./record.js";
