-- Says that a process lives that holds waiters, and wakes whoever's turn it is: a message that woke somebody may be lost.
--
-- Asks (see eachOf): queue, process, channel, service
--
-- Answers a status:
--   unknown  it was taken for dead, or the queue was lost: its waiters may have been let go
--   known    it was believed to live
-- @include eachOf
-- @include keepQueue
-- @include wake
return eachOf(function(ask, now, queue)
  local known = keepQueue(queue, ask.process, now)
  wake(queue, ask, now)
  return known and 'known' or 'unknown'
end)
