-- Breaker and adaptive limit of a gate as numbers; what is missing is as in a gate that nobody has used.
local function loadState(key, limits)
  local known = redis.call('HMGET', key, 'epoch', 'openUntil', 'succeeded', 'limit', 'fullAt', 'round')
  local adaptive = limits.adaptive
  local state = {
    epoch = tonumber(known[1]) or 0,
    openUntil = tonumber(known[2]) or 0,
    succeeded = tonumber(known[3]) or 0,
    fullAt = tonumber(known[5]) or 0,
    round = tonumber(known[6]) or 0,
  }
  if adaptive then
    local limit = tonumber(known[4]) or adaptive.max * 1000
    state.limit = math.max(adaptive.min * 1000, math.min(adaptive.max * 1000, limit))
  end
  return state
end
