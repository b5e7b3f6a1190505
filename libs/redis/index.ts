export { parseRedisUrl, RedisUrlProblem, type RedisAddress } from "./address.js";
export { mastersOf, openRedis, within, type RedisClient, type RedisScripts } from "./connect.js";
export { tryRedis } from "./try.js";
