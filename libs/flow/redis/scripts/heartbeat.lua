-- Moves the deadline of a lease that still lives; one that ended stays ended.
--
-- Asks (see eachOf): gates, id, leaseMs
--
-- Answers a status:
--   gone  at one of the gates at least the lease has ended
--   kept  it lives on everywhere
-- @include eachOf
-- @include digits
return eachOf(function(ask, now)
  local status = 'kept'
  for _, gate in ipairs(ask.gates) do
    local leases = gate.keys.leases
    local deadline = tonumber(redis.call('ZSCORE', leases, ask.id) or 0)
    if deadline > now then
      redis.call('ZADD', leases, digits(now + ask.leaseMs), ask.id)
      redis.call('PEXPIRE', leases, ask.leaseMs + 1000)
    else
      status = 'gone'
    end
  end
  return status
end)
