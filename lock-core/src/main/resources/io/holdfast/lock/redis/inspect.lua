-- Reads a lock; writes nothing.
-- KEYS  1 the lock
-- ARGV  1 the maximum number of holders to describe; 2 that of entries
-- returns its status, as in status.lua
-- include common
-- include queue
-- include describe
-- include status

local function look()
  return status(load(KEYS[1], now_us()), tonumber(ARGV[1]), tonumber(ARGV[2]))
end

local fine, reply = pcall(look)
if not fine then
  local reason = failure(reply)
  error(string.find(reason, 'LAYOUT') and reason or 'LAYOUT unknown of this lock; it can be released by force: ' .. reason, 0)
end
return reply
