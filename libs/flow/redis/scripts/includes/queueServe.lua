-- @include queueLeave
-- @include lastTurn
-- The waiter got its permit: its tenant's next turn comes after everybody else's.
local function queueServe(queue, id)
  local tenant = queueLeave(queue, id)
  if tenant and queueFirst(queue, tenant) then lastTurn(queue, tenant) end
end
