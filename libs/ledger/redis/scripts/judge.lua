-- Judges reservations by the copies of balances. Reads only: it can refuse, and only while the copies are fresh; whatever
-- it does not refuse is decided by the record.
--
-- KEYS     the copies that bind any of the asks; each is "version:limit:reserved:spent:at", an empty limit is unlimited
-- ARGV[1]  longest age of a copy that may refuse, milliseconds
-- ARGV[2]  number of asks; then for each ask: its number of holds, and for each hold the index of its copy and the amount
--
-- Returns the status of each ask, in order, then the copies as they are (false where there is none), and at last Redis'
-- time, in milliseconds, by which the age of a copy is told:
--   fits    all copies that bind it are fresh, and none refuses it
--   unsure  no copy refuses it, but one that binds it is missing or not fresh
--   stale   a copy refuses it, but a copy that binds it is missing or not fresh: read the record first
--   denied  all copies that bind it are fresh, and one of them refuses it
--
-- Amounts are decimal strings up to 2^53 - 1 and every sum is formed by subtraction, so nothing loses precision. The age
-- counts from Redis TIME; a copy from the future (the clock went back) is not fresh.
local freshMs = tonumber(ARGV[1])
local asks = tonumber(ARGV[2])
local MOST = 9007199254740991

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local copies = redis.call('MGET', unpack(KEYS))

local rooms, fresh = {}, {}
for i = 1, #KEYS do
  if copies[i] then
    local limit, reserved, spent, at = string.match(copies[i], '^%d+:(%d*):(%d+):(%d+):(%d+)$')
    if at then
      local age = now - tonumber(at)
      rooms[i] = (tonumber(limit) or MOST) - tonumber(reserved) - tonumber(spent)
      fresh[i] = age >= 0 and age <= freshMs
    end
  end
end

local results = {}
local arg = 3
for ask = 1, asks do
  local refused, allFresh = false, true
  local holds = tonumber(ARGV[arg])
  for hold = 1, holds do
    local copy = tonumber(ARGV[arg + 2 * hold - 1])
    local amount = tonumber(ARGV[arg + 2 * hold])
    if rooms[copy] and amount > rooms[copy] then refused = true end
    allFresh = allFresh and fresh[copy] == true
  end
  arg = arg + 1 + 2 * holds
  results[ask] = (refused and (allFresh and 'denied' or 'stale')) or (allFresh and 'fits') or 'unsure'
end
for i = 1, #KEYS do results[asks + i] = copies[i] end
results[asks + #KEYS + 1] = string.format('%.0f', now)
return results
