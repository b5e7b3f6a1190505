-- A waiter goes without a trace, and the one behind it is told.
--
-- Asks (see eachOf): queue, id, channel, service
--
-- Answers a status:
--   left    it waited until now
--   absent  it did not wait
-- @include eachOf
-- @include queueLeave
-- @include wake
return eachOf(function(ask, now, queue)
  local tenant = queueLeave(queue, ask.id)
  wake(queue, ask, now)
  return tenant and 'left' or 'absent'
end)
