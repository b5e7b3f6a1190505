-- @include digits
-- Passes the tenant over for so long, or until something of its own is freed.
local function queueRest(queue, tenant, wait, now)
  redis.call('ZADD', queue.resting, digits(now + math.min(wait, 60000)), tenant)
  redis.call('PEXPIRE', queue.resting, 60000)
end
