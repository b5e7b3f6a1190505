-- @include lastTurn
-- @include keepQueue
-- A caller waits from now on. Returns nil, or who has no place left for it: 'service' or 'tenant' (queue.ts).
local function queueEnter(queue, ask, now)
  local tenant, places = ask.tenant, ask.places
  if redis.call('ZCARD', queue.line) >= places.max then return 'service' end
  local from, to = '[' .. tenant .. '|', '(' .. tenant .. '}'
  if redis.call('ZLEXCOUNT', queue.line, from, to) >= places.tenantMax then return 'tenant' end
  local last = redis.call('ZREVRANGEBYLEX', queue.line, to, from, 'LIMIT', 0, 1)[1]
  local number = last and tonumber(string.match(last, '|(%d+)|')) + 1 or 1
  if not last then lastTurn(queue, tenant) end
  local member = string.format('%s|%016.0f|%s|%s', tenant, number, ask.process, ask.id)
  redis.call('ZADD', queue.line, 0, member)
  redis.call('HSET', queue.waiters, ask.id, member)
  keepQueue(queue, ask.process, now)
  return nil
end
