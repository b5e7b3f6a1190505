-- A whole number in full: Lua's own tostring drops digits from the 15th on.
local function digits(number)
  return string.format('%.0f', number)
end
