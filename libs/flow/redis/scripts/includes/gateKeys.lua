-- The keys of a gate, the first of which is KEYS[first].
local function gateKeys(first)
  return {
    bucket = KEYS[first], -- hash: level (millionths of a token), at (ms)
    leases = KEYS[first + 1], -- sorted set: permit by its deadline (ms)
    state = KEYS[first + 2], -- hash: epoch, openUntil (ms, 0 closed), succeeded, limit (thousandths), fullAt (ms), round
    failures = KEYS[first + 3], -- list: times of the last failures, newest first
    probes = KEYS[first + 4], -- sorted set: permit by when its place as a probe is free again (ms)
  }
end
