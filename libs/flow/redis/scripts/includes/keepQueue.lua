-- @include digits
-- Says that the process lives. One that holds waiters does so more often than every 5 s; an empty queue is forgotten.
local function keepQueue(queue, process, now)
  redis.call('ZREMRANGEBYSCORE', queue.alive, '-inf', now)
  redis.call('ZADD', queue.alive, digits(now + 5000), process)
  for _, key in pairs(queue) do redis.call('PEXPIRE', key, 60000) end
end
