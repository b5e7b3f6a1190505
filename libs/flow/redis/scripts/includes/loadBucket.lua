-- @include saveBucket
-- Tokens that are there now, in millionths, and the time that they are counted from (token-bucket.ts).
local function loadBucket(key, rate, now)
  local known = redis.call('HMGET', key, 'level', 'at')
  local full = rate.burst * 1000000
  local level, at = tonumber(known[1]) or full, tonumber(known[2]) or now
  if at - now > 5000 then
    at = now
    saveBucket(key, rate, level, at, now)
  end
  local refilled = math.floor(math.max(0, now - at) * (rate.ratePerSecond * 1000000 / 1000))
  return { level = math.max(0, math.min(full, level + refilled)), at = at }
end
