-- @include saveState
-- @include drawIn
-- Frees the places of unanswered probes, and keeps no time further off than a reset: the clock may have been set back.
local function drawInBreaker(keys, limits, state, now)
  local resetMs = limits.breaker.resetMs
  if state.openUntil > now + resetMs then
    state.openUntil = now + resetMs
    saveState(keys.state, limits, { openUntil = state.openUntil })
  end
  drawIn(keys.probes, resetMs, now)
end
