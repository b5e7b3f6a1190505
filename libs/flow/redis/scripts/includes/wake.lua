-- @include queueHead
-- Tells the process of whoever's turn it is that it should ask again, unless that is the caller itself. Who may not publish
-- is found by the clock alone.
local function wake(queue, ask, now)
  local id, process = queueHead(queue, now)
  if id and id ~= ask.id then redis.pcall('PUBLISH', ask.channel .. process, ask.service .. ' ' .. id) end
end
