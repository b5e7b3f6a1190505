-- @include saveState
-- The adaptive limit hears how a permit ended that was passed in `pass.round` (adaptive.ts).
local function adapt(gate, result, pass, now)
  local keys, limits, state = gate.keys, gate.limits, gate.state
  if pass.round ~= state.round then return end
  local least, most = limits.adaptive.min * 1000, limits.adaptive.max * 1000
  if result.outcome == 'overloaded' then
    local limit = math.max(least, math.floor(state.limit / 2))
    saveState(keys.state, limits, { limit = limit, round = math.max(state.round + 1, now) })
  elseif result.outcome == 'succeeded' and state.fullAt >= result.grantedAt and state.fullAt <= now then
    local limit = math.min(most, state.limit + math.max(1, math.floor(1000000 / state.limit)))
    saveState(keys.state, limits, { limit = limit })
  end
end
