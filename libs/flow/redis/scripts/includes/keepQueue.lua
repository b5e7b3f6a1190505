-- @include digits
-- Says that the process lives. One that holds waiters does so more often than every 5 s; a queue of which nobody says so is
-- forgotten. Returns whether it was believed to live (queue.ts).
local function keepQueue(queue, process, now)
  redis.call('ZREMRANGEBYSCORE', queue.alive, '-inf', now)
  local known = redis.call('ZADD', queue.alive, digits(now + 5000), process) == 0
  for _, key in pairs(queue) do redis.call('PEXPIRE', key, 60000) end
  return known
end
