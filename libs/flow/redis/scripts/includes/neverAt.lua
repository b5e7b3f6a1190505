-- Why waiting does not help at a gate with these limits, if it does not (gate.ts).
local function neverAt(limits, cost)
  local rate = limits.rate
  if rate and rate.ratePerSecond <= 0 then return 'rate_limited' end
  if rate and cost > rate.burst then return 'cost_exceeds_burst' end
  if limits.concurrency and limits.concurrency < 1 then return 'concurrency_limited' end
end
