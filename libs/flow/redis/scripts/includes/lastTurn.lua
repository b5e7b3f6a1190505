-- @include digits
-- Puts the tenant's turn behind everybody else's.
local function lastTurn(queue, tenant)
  local last = redis.call('ZREVRANGE', queue.turns, 0, 0, 'WITHSCORES')[2]
  redis.call('ZADD', queue.turns, digits((last or 0) + 1), tenant)
end
