-- Gives back what a permit took at a service whose tenant then refused: in a cluster the two are two calls.
--
-- Asks (see eachOf): gates [one], queue, id, cost (tokens), channel, service
--
-- Answers a status:
--   gone   the permit held nothing there any more
--   given  its place, its tokens, and its place as a probe if it was one
-- @include eachOf
-- @include loadBucket
-- @include wake
return eachOf(function(ask, now, queue)
  local gate = ask.gates[1]
  if redis.call('ZREM', gate.keys.leases, ask.id) == 0 then return 'gone' end

  redis.call('ZREM', gate.keys.probes, ask.id)
  local rate = gate.limits.rate
  if rate then
    local bucket = loadBucket(gate.keys.bucket, rate, now)
    local level = math.min(rate.burst * 1000000, bucket.level + ask.cost * 1000000)
    saveBucket(gate.keys.bucket, rate, level, math.max(bucket.at, now), now)
  end
  wake(queue, ask, now)
  return 'given'
end)
