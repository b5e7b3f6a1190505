-- @include digits
-- @include saveBucket
-- @include saveState
-- Takes a place and the tokens at a gate that refused nothing. Returns the epoch and the round of the permit (gate.ts).
local function passGate(gate, ask, now)
  local keys, limits, state = gate.keys, gate.limits, gate.state
  redis.call('ZADD', keys.leases, digits(now + ask.leaseMs), ask.id)
  redis.call('PEXPIRE', keys.leases, ask.leaseMs + 1000)
  if limits.rate then
    local left = gate.bucket.level - ask.cost * 1000000
    saveBucket(keys.bucket, limits.rate, left, math.max(gate.bucket.at, now), now)
  end
  if limits.adaptive and redis.call('ZCARD', keys.leases) >= math.floor(state.limit / 1000) then
    saveState(keys.state, limits, { fullAt = now })
  end
  if limits.breaker and state.openUntil > 0 then
    redis.call('ZADD', keys.probes, digits(now + limits.breaker.resetMs), ask.id)
    redis.call('PEXPIRE', keys.probes, limits.breaker.resetMs + 1000)
  end
  return digits(limits.breaker and state.epoch or 0), digits(limits.adaptive and state.round or 0)
end
