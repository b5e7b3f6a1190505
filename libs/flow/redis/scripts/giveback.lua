-- Gives back what a permit took at a service whose tenant then refused: in a cluster the two are two calls.
--
-- KEYS     five of the gate (see gateKeys), then those of the queue (see queueKeys)
-- ARGV[1]  JSON: id, cost (tokens), gates [{ limits }], channel, service, now? (ms)
--
-- Returns a status:
--   gone   the permit held nothing there any more
--   given  its place, its tokens, and its place as a probe if it was one
-- @include nowMs
-- @include gatesOf
-- @include queueKeys
-- @include loadBucket
-- @include wake
local ask = cjson.decode(ARGV[1])
local now = nowMs(ask.now)
local gate = gatesOf(ask)[1]
if redis.call('ZREM', gate.keys.leases, ask.id) == 0 then return 'gone' end

redis.call('ZREM', gate.keys.probes, ask.id)
local rate = gate.limits.rate
if rate then
  local bucket = loadBucket(gate.keys.bucket, rate, now)
  local level = math.min(rate.burst * 1000000, bucket.level + ask.cost * 1000000)
  saveBucket(gate.keys.bucket, rate, level, math.max(bucket.at, now), now)
end
wake(queueKeys(6), ask, now)
return 'given'
