-- Places at a gate now: the lower of the fixed limit and the one that found itself; nil where nothing bounds them.
local function placesAt(limits, state)
  local own = limits.adaptive and math.floor(state.limit / 1000)
  if own and limits.concurrency then return math.min(own, limits.concurrency) end
  return own or limits.concurrency
end
