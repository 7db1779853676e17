-- Reads any number of locks; writes nothing. Free locks, and keys that are not locks, are skipped.
-- KEYS  the locks
-- ARGV  1 the maximum number of holders to describe; 2 that of entries
-- returns how many locks could not be read, and their numbers, from 1; then for each other lock that is held or waited for its number,
--         and its status, as in status.lua
-- include common
-- include queue
-- include describe
-- include status
local now, max_holders, max_entries = now_us(), tonumber(ARGV[1]), tonumber(ARGV[2])

local function look(key)
  return status(load(key, now), max_holders, max_entries)
end

local locks, unreadable = {}, {}
for i, key in ipairs(KEYS) do
  local fine, text, in_use = pcall(look, key)
  if not fine then
    unreadable[#unreadable + 1] = i
  elseif in_use then
    locks[#locks + 1] = '\n' .. i .. ' ' .. text
  end
end
return table.concat({#unreadable, unpack(unreadable)}, ' ') .. table.concat(locks)
