-- @include queueFirst
-- @include queueLeave
-- Whose turn it is: id and process of the waiter, or nil if nobody waits or all who wait rest. Lets go, on its way, the
-- waiters of silent processes (queue.ts).
local function queueHead(queue, now)
  local place = 0
  while true do
    local tenant = redis.call('ZRANGE', queue.turns, place, place)[1]
    if not tenant then return nil end
    local resting = tonumber(redis.call('ZSCORE', queue.resting, tenant) or 0)
    local member = queueFirst(queue, tenant)
    if not member then
      redis.call('ZREM', queue.turns, tenant)
    elseif resting > now and resting <= now + 60000 then
      place = place + 1
    else
      local process, id = string.match(member, '|%d+|([^|]*)|(.*)$')
      if tonumber(redis.call('ZSCORE', queue.alive, process) or 0) > now then return id, process end
      if not queueLeave(queue, id) then redis.call('ZREM', queue.line, member) end
    end
  end
end
