-- @include queueHead
-- Whether nobody goes before the caller; `waited` is its member of the line, if it waits already (turn.ts).
local function queueFree(queue, ask, waited, now)
  if not waited then return not queueHead(queue, now) and not queueFirst(queue, ask.tenant) end
  -- Its tenant's time has come, or it would not ask.
  if queueFirst(queue, ask.tenant) == waited then redis.call('ZREM', queue.resting, ask.tenant) end
  return queueHead(queue, now) == ask.id
end
