-- @include queueFirst
-- A waiter goes without a trace. Returns its tenant, or nil if it did not wait.
local function queueLeave(queue, id)
  local member = redis.call('HGET', queue.waiters, id)
  if not member then return nil end
  local tenant = string.match(member, '^[^|]*')
  redis.call('HDEL', queue.waiters, id)
  redis.call('ZREM', queue.line, member)
  if not queueFirst(queue, tenant) then
    redis.call('ZREM', queue.turns, tenant)
    redis.call('ZREM', queue.resting, tenant)
  end
  return tenant
end
