-- @include digits
-- Drops the members of a sorted set of deadlines that have passed, and draws in those further off than `longest`: they show
-- that the clock was set back.
local function drawIn(key, longest, now)
  redis.call('ZREMRANGEBYSCORE', key, '-inf', now)
  local latest = digits(now + longest)
  for _, member in ipairs(redis.call('ZRANGEBYSCORE', key, '(' .. latest, '+inf')) do
    redis.call('ZADD', key, latest, member)
  end
end
