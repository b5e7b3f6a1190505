-- The keys of a service's queue, the first of which is KEYS[first]. A member of the line is "tenant|number|process|id".
local function queueKeys(first)
  return {
    line = KEYS[first], -- sorted set, all scores 0: those who wait, by tenant and by when they came
    turns = KEYS[first + 1], -- sorted set: tenants that have somebody waiting, the next first
    waiters = KEYS[first + 2], -- hash: id of a waiter → its member of the line
    resting = KEYS[first + 3], -- sorted set: tenants to be passed over, until when (ms)
    alive = KEYS[first + 4], -- sorted set: processes that hold waiters, until when they are believed to live (ms)
  }
end
