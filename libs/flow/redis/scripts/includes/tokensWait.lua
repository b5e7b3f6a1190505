-- Milliseconds until `cost` tokens are there, 0 if they are. What never fits was refused before.
local function tokensWait(bucket, rate, cost, now)
  local missing = cost * 1000000 - bucket.level
  if missing <= 0 then return 0 end
  local stepsPerMs = rate.ratePerSecond * 1000000 / 1000
  local wait = math.ceil(missing / stepsPerMs)
  if math.floor(wait * stepsPerMs) < missing then wait = wait + 1 end
  return math.max(0, bucket.at - now) + wait
end
