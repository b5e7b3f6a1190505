-- A waiter goes without a trace, and the one behind it is told.
--
-- KEYS     those of the queue (see queueKeys)
-- ARGV[1]  JSON: id, channel, service, now? (ms)
--
-- Returns a status:
--   left    it waited until now
--   absent  it did not wait
-- @include nowMs
-- @include queueKeys
-- @include queueLeave
-- @include wake
local ask = cjson.decode(ARGV[1])
local queue = queueKeys(1)
local tenant = queueLeave(queue, ask.id)
wake(queue, ask, nowMs(ask.now))
return tenant and 'left' or 'absent'
