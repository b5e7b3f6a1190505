-- What an operator sees of a gate. Changes nothing.
--
-- Asks (see eachOf): gates [one], queue (if it is a service's), most (leases that are counted by tenant)
--
-- Answers a status and what stands there:
--   seen  time (ms), permits in flight, level and at of the bucket ('' where it is full), openUntil (ms, 0 closed), limit
--         (thousandths, '' where it is at its maximum), a list of each tenant that waits and how many of its callers do, and
--         a list of each tenant that holds leases and how many of those that end first
-- @include eachOf
-- @include digits
return eachOf(function(ask, now, queue)
  local gate = ask.gates[1].keys
  local bucket = redis.call('HMGET', gate.bucket, 'level', 'at')
  local state = redis.call('HMGET', gate.state, 'openUntil', 'limit')
  local inFlight = redis.call('ZCOUNT', gate.leases, '(' .. digits(now), '+inf')
  local waiting = {}
  for _, tenant in ipairs(queue and redis.call('ZRANGE', queue.turns, 0, -1) or {}) do
    waiting[#waiting + 1] = tenant
    waiting[#waiting + 1] = digits(redis.call('ZLEXCOUNT', queue.line, '[' .. tenant .. '|', '(' .. tenant .. '}'))
  end
  local held, holders = {}, {}
  for _, lease in ipairs(redis.call('ZRANGEBYSCORE', gate.leases, '(' .. digits(now), '+inf', 'LIMIT', 0, ask.most)) do
    local tenant = string.match(lease, '@(.*)$')
    if tenant then held[tenant] = (held[tenant] or 0) + 1 end
  end
  for tenant, count in pairs(held) do
    holders[#holders + 1] = tenant
    holders[#holders + 1] = digits(count)
  end
  return { 'seen', digits(now), digits(inFlight), bucket[1] or '', bucket[2] or '', state[1] or '0', state[2] or '', waiting, holders }
end)
