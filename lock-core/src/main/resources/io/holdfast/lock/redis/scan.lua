-- One step through the names of all locks on a server; reads no key, and writes nothing.
-- KEYS  1 any lock on that server, so that a cluster knows which server is meant
-- ARGV  1 cursor; 2 pattern of the names; 3 about how many keys to examine
-- returns the next cursor, 0 at the end; then, one per line, the names that have a '}' at their end and nowhere else, as locks do. A
--         name may contain a line break, but no '}' before it
local found = redis.call('SCAN', ARGV[1], 'MATCH', ARGV[2], 'COUNT', ARGV[3], 'TYPE', 'hash')
local lines = {found[1]}
for _, name in ipairs(found[2]) do
  if string.match(name, '^[^}]*}$') then
    lines[#lines + 1] = name
  end
end
return table.concat(lines, '\n')
