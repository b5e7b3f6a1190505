export { JUDGE_STATUSES, RedisCopies, type RedisOptions } from "./copies.js";
