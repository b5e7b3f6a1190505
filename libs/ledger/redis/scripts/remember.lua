-- Stores copies of balances as the record had them. State, not differences: a copy is replaced only by one that is not
-- older, so copies cannot drift apart however calls are lost, doubled or late.
--
-- KEYS     the copies; each is "version:limit:reserved:spent:at", an empty limit is unlimited
-- ARGV[1]  how long ago the record was read, milliseconds
-- ARGV[2]  how long a copy is kept, milliseconds
-- ARGV[3]  and on, for each key: version, "limit:reserved:spent" as decimal strings
--
-- Returns how many were stored. The instant of a copy is Redis TIME less its age. Anything else that stands at a key, a
-- wrong type among it, is replaced: it is not a copy.
local ageMs = tonumber(ARGV[1])
local keepMs = ARGV[2]

local time = redis.call('TIME')
local at = string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000) - ageMs)

local stored = 0
local known = redis.call('MGET', unpack(KEYS))
for i = 1, #KEYS do
  local version = ARGV[1 + 2 * i]
  local figures = ARGV[2 + 2 * i]
  local there = known[i] and string.match(known[i], '^(%d+):%d*:%d+:%d+:%d+$')
  if not there or tonumber(there) <= tonumber(version) then
    redis.call('SET', KEYS[i], version .. ':' .. figures .. ':' .. at, 'PX', keepMs)
    stored = stored + 1
  end
end
return stored
