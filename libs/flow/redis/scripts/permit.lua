-- Decides one permit over all that bounds it, in one step: it takes everywhere or nowhere. The rules are those of
-- machines/turn.ts and machines/permit.ts; a test holds the two together.
--
-- Asks (see eachOf): gates, id, child, planned, known, cost (tokens), leaseMs, keepMs, retry { ratio, least, windowMs },
--                    attempts? and retries? (numbers of their keys), queue?; and with a queue: tenant, process? (the caller
--                    waits there), places { max, tenantMax }, channel (before the name of a process), service
--
-- Answers the status and what belongs to it:
--   refused  reason, scope, milliseconds to wait ('' where that does not help)
--   granted  attempt, time (ms), then epoch and round for each gate
--   waiting  milliseconds after which to ask again unwoken ('' while others go before)
--
-- A refusal that waiting does not help against is told first, also to a caller that waits. Everything is read before the
-- first change, so that a wrong type at a key changes nothing; only what is overdue is cleared away meanwhile.
-- @include eachOf
-- @include digits
-- @include refusalOf
-- @include countStart
-- @include passGate
-- @include queueFree
-- @include queueServe
-- @include queueEnter
-- @include queueRest
-- @include wake
return eachOf(function(ask, now, queue)
  local gates = ask.gates
  local attemptsKey, retriesKey = KEYS[ask.attempts], KEYS[ask.retries]

  -- Without the tenant's keys attempts are none of this call's business; it is then the first half of two.
  local attempt
  if attemptsKey then
    attempt = math.max(tonumber(redis.call('HGET', attemptsKey, ask.child) or 0) or 0, ask.known) + 1
  end
  local reason, scope, wait = refusalOf(ask, gates, attempt, retriesKey, now)
  local waited = queue and redis.call('HGET', queue.waiters, ask.id)

  if reason and not (wait and (reason == 'rate_limited' or reason == 'concurrency_limited')) then
    if waited then
      queueLeave(queue, ask.id)
      wake(queue, ask, now)
    end
    return { 'refused', reason, scope, wait and digits(wait) or '' }
  end

  local free = not queue or queueFree(queue, ask, waited, now)
  if free and not reason then
    if attempt then
      countStart(retriesKey, ask.retry, attempt > 1, now)
      redis.call('HSET', attemptsKey, ask.child, digits(attempt))
      redis.call('PEXPIRE', attemptsKey, ask.keepMs)
    end
    local answer = { 'granted', digits(attempt or 0), digits(now) }
    for _, gate in ipairs(gates) do
      answer[#answer + 1], answer[#answer + 2] = passGate(gate, ask, now)
    end
    if waited then
      queueServe(queue, ask.id)
      wake(queue, ask, now)
    end
    return answer
  end

  if not ask.process then
    if reason then return { 'refused', reason, scope, digits(wait) } end
    return { 'refused', 'queue_full', 'service', '1000' }
  end
  local full = not waited and queueEnter(queue, ask, now)
  if full then return { 'refused', 'queue_full', full, reason and digits(wait) or '1000' } end
  if not reason or queueHead(queue, now) ~= ask.id then return { 'waiting', '' } end
  if scope == 'tenant' then queueRest(queue, ask.tenant, wait, now) end
  wake(queue, ask, now)
  return { 'waiting', digits(wait) }
end)
