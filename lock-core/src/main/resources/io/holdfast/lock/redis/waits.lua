-- Reads which callers wait for a lock while they hold others, of all clients that have reported recently; writes nothing.
-- KEYS  1 the waits of all clients, see record_waits.lua
-- ARGV  1 how long they are kept, in ms
-- returns the time; then for each client: how many lines follow, its id, and these lines: the time of its report, and the report
-- include common
local now, ttl_ms = now_us(), tonumber(ARGV[1])
local lines = {string.format('%d', now)}
local fine, fields = pcall(call, 'HGETALL', KEYS[1])
for i = 1, fine and #fields or 0, 2 do
  local reported_at = tonumber(string.match(fields[i + 1], '^(%d+)\n'))
  if reported_at and reported_at >= now - ttl_ms * 1000 and not string.find(fields[i], '\n', 1, true) then
    local _, breaks = string.gsub(fields[i + 1], '\n', '\n')
    lines[#lines + 1] = string.format('%d %s\n%s', breaks + 1, fields[i], fields[i + 1])
  end
end
return table.concat(lines, '\n')
