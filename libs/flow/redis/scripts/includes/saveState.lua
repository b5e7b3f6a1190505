-- @include digits
-- Writes fields of a gate's state and keeps it for a day after its last change, and a reset time more.
local function saveState(key, limits, fields)
  local args = {}
  for field, value in pairs(fields) do
    args[#args + 1] = field
    args[#args + 1] = digits(value)
  end
  redis.call('HSET', key, unpack(args))
  redis.call('PEXPIRE', key, digits(86400000 + (limits.breaker and limits.breaker.resetMs or 0)))
end
