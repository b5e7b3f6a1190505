-- Says that a process lives that holds waiters, and wakes whoever's turn it is: a message that woke somebody may be lost.
--
-- KEYS     those of the queue (see queueKeys)
-- ARGV[1]  JSON: process, channel, service, now? (ms)
--
-- Returns a status:
--   unknown  it was taken for dead, or the queue was lost: its waiters may have been let go
--   known    it was believed to live
-- @include nowMs
-- @include queueKeys
-- @include keepQueue
-- @include wake
local ask = cjson.decode(ARGV[1])
local now = nowMs(ask.now)
local queue = queueKeys(1)
local known = keepQueue(queue, ask.process, now)
wake(queue, ask, now)
return known and 'known' or 'unknown'
