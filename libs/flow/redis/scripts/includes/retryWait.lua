-- Milliseconds until a retry of the job is let through: 0 if it is, nil if waiting never helps (retry-budget.ts).
local function retryWait(key, retry, now)
  if retry.ratio == 'off' then return 0 end
  local length = math.ceil(retry.windowMs / 10)
  local current = math.floor(now / length)
  local firsts, retries = {}, {}
  local known = redis.call('HGETALL', key)
  for i = 1, #known, 2 do
    local kind, slice = string.match(known[i], '^(%a)(%d+)$')
    if kind == 'f' then firsts[tonumber(slice)] = tonumber(known[i + 1]) end
    if kind == 'r' then retries[tonumber(slice)] = tonumber(known[i + 1]) end
  end
  local first, again = 0, 0
  for slice = current - 9, current do
    first, again = first + (firsts[slice] or 0), again + (retries[slice] or 0)
  end
  local function allows() return again + 1 <= math.max(retry.least, math.floor(first * retry.ratio)) end
  if allows() then return 0 end
  for slice = current - 9, current do
    first, again = first - (firsts[slice] or 0), again - (retries[slice] or 0)
    if allows() then return (slice + 10) * length - now end
  end
end
