-- @include digits
-- Keeps a bucket until it is full again: without a key it is full.
local function saveBucket(key, rate, level, at, now)
  redis.call('HSET', key, 'level', digits(level), 'at', digits(at))
  -- At the lowest rates that time is longer than Redis can count.
  local toFull = (rate.burst * 1000000 - level) / (rate.ratePerSecond * 1000000 / 1000)
  redis.call('PEXPIRE', key, digits(math.min(1e15, math.max(0, at - now) + math.ceil(toFull) + 1000)))
end
