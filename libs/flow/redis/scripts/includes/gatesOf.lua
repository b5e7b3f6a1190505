-- @include gateKeys
-- The gates of a call, the widest first, each with its scope, its limits and its keys.
local function gatesOf(ask)
  for i, gate in ipairs(ask.gates) do gate.keys = gateKeys(5 * i - 4) end
  return ask.gates
end
