-- @include drawInBreaker
-- Milliseconds until the breaker lets a permit through, 0 if it does (breaker.ts).
local function breakerWait(keys, limits, state, now)
  if state.openUntil == 0 then return 0 end
  drawInBreaker(keys, limits, state, now)
  if now < state.openUntil then return state.openUntil - now end
  local waiting = redis.call('ZCARD', keys.probes)
  if waiting == 0 or waiting + state.succeeded < limits.breaker.probes then return 0 end
  return redis.call('ZRANGE', keys.probes, 0, 0, 'WITHSCORES')[2] - now
end
