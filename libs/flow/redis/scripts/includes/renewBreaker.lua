-- @include saveState
-- Opens the breaker until then, or closes it (0); what was counted before counts no more.
local function renewBreaker(keys, limits, state, openUntil, now)
  state.epoch = math.max(state.epoch + 1, now)
  saveState(keys.state, limits, { epoch = state.epoch, openUntil = openUntil, succeeded = 0 })
  redis.call('DEL', keys.failures, keys.probes)
end
