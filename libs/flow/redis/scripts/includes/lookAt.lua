-- @include drawIn
-- @include loadState
-- @include loadBucket
-- @include tokensWait
-- @include placesWait
-- @include placesAt
-- @include breakerWait
-- What stands at a gate, and how long each of its limits refuses (0: it does not). Takes nothing.
local function lookAt(gate, ask, now)
  local keys, limits = gate.keys, gate.limits
  drawIn(keys.leases, ask.leaseMs, now)
  gate.state = loadState(keys.state, limits)
  gate.bucket = limits.rate and loadBucket(keys.bucket, limits.rate, now)
  return {
    { 'breaker_open', limits.breaker and breakerWait(keys, limits, gate.state, now) or 0 },
    { 'concurrency_limited', placesWait(keys.leases, placesAt(limits, gate.state), now) },
    { 'rate_limited', limits.rate and tokensWait(gate.bucket, limits.rate, ask.cost, now) or 0 },
  }
end
