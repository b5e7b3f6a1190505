-- @include lookAt
-- @include neverAt
-- @include retryWait
-- What refuses a permit: reason, scope and milliseconds to wait, nil where that does not help (permit.ts). Takes nothing.
local function refusalOf(ask, gates, attempt, retriesKey, now)
  if attempt and attempt > ask.planned then return 'attempts_exhausted', 'reservation' end
  for _, gate in ipairs(gates) do
    local never = neverAt(gate.limits, ask.cost)
    if never then return never, gate.scope end
  end
  local reason, scope, longest = nil, nil, 0
  if attempt and attempt > 1 then
    local wait = retryWait(retriesKey, ask.retry, now)
    if not wait then return 'retry_budget_exhausted', 'job' end
    if wait > 0 then reason, scope, longest = 'retry_budget_exhausted', 'job', wait end
  end
  for _, gate in ipairs(gates) do
    for _, limit in ipairs(lookAt(gate, ask, now)) do
      if limit[2] > longest then reason, scope, longest = limit[1], gate.scope, limit[2] end
    end
  end
  return reason, scope, longest
end
