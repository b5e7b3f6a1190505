-- Redis TIME in milliseconds, the one clock of all processes; a test gives its own.
local function nowMs(given)
  if given then return given end
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end
