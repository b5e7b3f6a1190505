-- @include gateKeys
-- @include queueKeys
-- Answers the asks of a call in their order, each as if it had come alone. What goes wrong with one is its own answer,
-- { 'failed', why }; where the server takes no writes the whole call fails, so that the client looks for its master.
--
-- KEYS     of all asks, each once
-- ARGV[1]  JSON: gates [{ scope, limits, first (number of its first key) }], asks [{ gates (by number), queue? (number of
--          its first key), now? (ms, tests alone), and what the script says }]
local function eachOf(answer)
  local call = cjson.decode(ARGV[1])
  for _, gate in ipairs(call.gates) do gate.keys = gateKeys(gate.first) end
  -- Redis TIME, the one clock of all processes.
  local time = redis.call('TIME')
  local now = time[1] * 1000 + math.floor(time[2] / 1000)
  local answers = {}
  for i, ask in ipairs(call.asks) do
    for n, gate in ipairs(ask.gates) do ask.gates[n] = call.gates[gate] end
    local done, said = pcall(answer, ask, ask.now or now, ask.queue and queueKeys(ask.queue))
    if not done then
      local why = type(said) == 'table' and said.err or tostring(said)
      if string.find(why, 'READONLY', 1, true) then error(said, 0) end
      said = { 'failed', why }
    end
    answers[i] = said
  end
  return answers
end
