-- Milliseconds until a place is free if no holder renews, 0 if one is (leases.ts). No limit: always.
local function placesWait(leases, limit, now)
  local held = redis.call('ZCARD', leases)
  if not limit or held < limit then return 0 end
  return redis.call('ZRANGE', leases, held - limit, held - limit, 'WITHSCORES')[2] - now
end
