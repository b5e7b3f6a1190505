-- Ends a permit: frees its places, and tells breaker and adaptive limit how it went. A place that is not held any more has
-- nothing to tell, so a second call changes nothing.
--
-- KEYS     five for each gate (see gateKeys), then those of the queue if `at` names them
-- ARGV[1]  JSON: id, outcome, grantedAt (ms), gates [{ limits, epoch, round }], at { queue? }, now? (ms); and with a queue:
--          tenant, channel, service
--
-- Returns a status:
--   gone      at one of the gates at least it had ended before
--   finished  this call ended it
-- @include nowMs
-- @include gatesOf
-- @include queueKeys
-- @include loadState
-- @include hearResult
-- @include adapt
-- @include wake
local ask = cjson.decode(ARGV[1])
local now = nowMs(ask.now)
local queue = ask.at.queue and queueKeys(ask.at.queue)

local status = 'finished'
for _, gate in ipairs(gatesOf(ask)) do
  gate.state = loadState(gate.keys.state, gate.limits)
  local deadline = tonumber(redis.call('ZSCORE', gate.keys.leases, ask.id) or 0)
  redis.call('ZREM', gate.keys.leases, ask.id)
  if deadline <= now then
    status = 'gone'
  else
    if gate.limits.breaker then hearResult(gate, ask, gate, now) end
    if gate.limits.adaptive then adapt(gate, ask, gate, now) end
  end
end
if queue then
  redis.call('ZREM', queue.resting, ask.tenant)
  wake(queue, ask, now)
end
return status
