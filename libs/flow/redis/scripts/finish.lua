-- Ends a permit: frees its places, and tells breaker and adaptive limit how it went. A place that is not held any more has
-- nothing to tell, so a second call changes nothing.
--
-- Asks (see eachOf): gates, passes [{ epoch, round }] (what the permit kept of each gate), id, outcome, grantedAt (ms), queue?;
--                    and with a queue: tenant, channel, service
--
-- Answers a status:
--   gone      at one of the gates at least it had ended before
--   finished  this call ended it
-- @include eachOf
-- @include loadState
-- @include hearResult
-- @include adapt
-- @include wake
return eachOf(function(ask, now, queue)
  local status = 'finished'
  for i, gate in ipairs(ask.gates) do
    local pass = ask.passes[i]
    gate.state = loadState(gate.keys.state, gate.limits)
    local deadline = tonumber(redis.call('ZSCORE', gate.keys.leases, ask.id) or 0)
    redis.call('ZREM', gate.keys.leases, ask.id)
    if deadline <= now then
      status = 'gone'
    else
      if gate.limits.breaker then hearResult(gate, ask, pass, now) end
      if gate.limits.adaptive then adapt(gate, ask, pass, now) end
    end
  end
  if queue then
    redis.call('ZREM', queue.resting, ask.tenant)
    wake(queue, ask, now)
  end
  return status
end)
