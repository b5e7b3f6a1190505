-- Moves the deadline of a lease that still lives; one that ended stays ended.
--
-- KEYS     the leases of each gate, a sorted set: permit by its deadline (ms)
-- ARGV[1]  JSON: id, leaseMs, now? (ms)
--
-- Returns a status:
--   gone  at one of the gates at least the lease has ended
--   kept  it lives on everywhere
-- @include nowMs
-- @include digits
local ask = cjson.decode(ARGV[1])
local now = nowMs(ask.now)

local status = 'kept'
for _, leases in ipairs(KEYS) do
  local deadline = tonumber(redis.call('ZSCORE', leases, ask.id) or 0)
  if deadline > now then
    redis.call('ZADD', leases, digits(now + ask.leaseMs), ask.id)
    redis.call('PEXPIRE', leases, ask.leaseMs + 1000)
  else
    status = 'gone'
  end
end
return status
