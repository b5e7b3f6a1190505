-- Opens or closes the breaker of a gate by hand, and wakes whoever's turn it is.
--
-- Asks (see eachOf): gates [one], queue, to ("open" or "closed"), channel, service
--
-- Answers a status:
--   open    for one reset time from now
--   closed  from now on
-- @include eachOf
-- @include loadState
-- @include renewBreaker
-- @include wake
return eachOf(function(ask, now, queue)
  local gate = ask.gates[1]
  local state = loadState(gate.keys.state, gate.limits)
  local openUntil = 0
  if ask.to == 'open' then openUntil = now + gate.limits.breaker.resetMs end
  renewBreaker(gate.keys, gate.limits, state, openUntil, now)
  wake(queue, ask, now)
  if ask.to == 'open' then return 'open' end
  return 'closed'
end)
