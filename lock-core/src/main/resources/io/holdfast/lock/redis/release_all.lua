-- Releases any number of locks, each like release.lua. A broken or foreign key fails individually. The first write deletes, so the
-- script works when Redis is out of memory, see release.lua.
-- KEYS  the locks
-- ARGV  1 token retention in ms, then for each lock: owner; how long it is to be kept, and the last used token, as in release.lua, or
--       empty for 0 0 if the key needs no other expiry than it has
-- returns nothing if all are released; otherwise a line for each that is not: its number, from 1, and NOT_HOLDER or the reason
-- include common
-- include queue
-- include give_back
local now, retention_ms = now_us(), tonumber(ARGV[1])

local function release(key, owner, wish)
  if wish == '' and call('HGET', key, 'owner') == owner then
    call('HDEL', key, 'owner')
    return 'RELEASED'
  end
  local keep_ms, last_fencing_token = string.match(wish == '' and '0 0' or wish, '^(%d+) (%d+)$')
  return give_back(key, now, retention_ms, owner, keep_ms, last_fencing_token)
end

local lines = {}
for i, key in ipairs(KEYS) do
  local _, reply = pcall(release, key, ARGV[2 * i], ARGV[2 * i + 1])
  if reply ~= 'RELEASED' then
    lines[#lines + 1] = i .. ' ' .. failure(reply)
  end
end
return table.concat(lines, '\n')
