-- Opens or closes the breaker of a gate by hand, and wakes whoever's turn it is.
--
-- KEYS     five of the gate (see gateKeys), then those of the queue (see queueKeys)
-- ARGV[1]  JSON: gates [{ limits }], to ("open" or "closed"), channel, service, now? (ms)
--
-- Returns a status:
--   open    for one reset time from now
--   closed  from now on
-- @include nowMs
-- @include gatesOf
-- @include queueKeys
-- @include loadState
-- @include renewBreaker
-- @include wake
local ask = cjson.decode(ARGV[1])
local now = nowMs(ask.now)
local gate = gatesOf(ask)[1]
local state = loadState(gate.keys.state, gate.limits)
local openUntil = 0
if ask.to == 'open' then openUntil = now + gate.limits.breaker.resetMs end
renewBreaker(gate.keys, gate.limits, state, openUntil, now)
wake(queueKeys(6), ask, now)
if ask.to == 'open' then return 'open' end
return 'closed'
