-- The member of the line that came first of its tenant's, or nil. '}' comes next after '|'.
local function queueFirst(queue, tenant)
  return redis.call('ZRANGEBYLEX', queue.line, '[' .. tenant .. '|', '(' .. tenant .. '}', 'LIMIT', 0, 1)[1]
end
