-- @include digits
-- Counts a first attempt or a retry of the job, and forgets what has passed out of the window (retry-budget.ts).
local function countStart(key, retry, isRetry, now)
  local length = math.ceil(retry.windowMs / 10)
  local current = math.floor(now / length)
  for _, field in ipairs(redis.call('HKEYS', key)) do
    local slice = tonumber(string.match(field, '%d+$')) or 0
    if slice <= current - 10 or slice > current then redis.call('HDEL', key, field) end
  end
  redis.call('HINCRBY', key, (isRetry and 'r' or 'f') .. digits(current), 1)
  redis.call('PEXPIRE', key, retry.windowMs + length)
end
