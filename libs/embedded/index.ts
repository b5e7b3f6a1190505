export { FolderInUseError } from "./folder.js";
export { migrate, MigrationError } from "./migrate.js";
export { freePort } from "./port.js";
export { isAlive, stopProcess } from "./process.js";
export { startPostgres, type EmbeddedServer, type PostgresOptions } from "./postgres.js";
export { findRedis, startRedis, type RedisOptions } from "./redis.js";
