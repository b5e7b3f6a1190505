-- Says that a process lives that holds waiters, and wakes whoever's turn it is: a message that woke somebody may be lost.
--
-- KEYS     those of the queue (see queueKeys)
-- ARGV[1]  JSON: process, channel, service, now? (ms)
--
-- Returns a status:
--   alive  always
-- @include nowMs
-- @include queueKeys
-- @include keepQueue
-- @include wake
local ask = cjson.decode(ARGV[1])
local now = nowMs(ask.now)
local queue = queueKeys(1)
keepQueue(queue, ask.process, now)
wake(queue, ask, now)
return 'alive'
