-- @include digits
-- @include drawInBreaker
-- @include renewBreaker
-- The breaker hears how a permit ended that was passed in `pass.epoch` (breaker.ts).
local function hearResult(gate, result, pass, now)
  local keys, limits, state = gate.keys, gate.limits, gate.state
  local breaker, outcome = limits.breaker, result.outcome
  if pass.epoch ~= state.epoch then return end
  local failed = outcome == 'failed' or outcome == 'overloaded'
  if state.openUntil > 0 then
    drawInBreaker(keys, limits, state, now)
    -- An answer that comes after the place was given to another counts no more.
    if redis.call('ZREM', keys.probes, result.id) == 0 then return end
    if failed then return renewBreaker(keys, limits, state, now + breaker.resetMs, now) end
    if outcome ~= 'succeeded' then return end
    if state.succeeded + 1 >= breaker.probes then return renewBreaker(keys, limits, state, 0, now) end
    saveState(keys.state, limits, { succeeded = state.succeeded + 1 })
  elseif failed then
    redis.call('LPUSH', keys.failures, digits(now))
    redis.call('LTRIM', keys.failures, 0, breaker.failures - 1)
    redis.call('PEXPIRE', keys.failures, breaker.windowMs + 1000)
    local first = tonumber(redis.call('LINDEX', keys.failures, breaker.failures - 1) or nil)
    if first and first <= now and first > now - breaker.windowMs then
      renewBreaker(keys, limits, state, now + breaker.resetMs, now)
    end
  end
end
