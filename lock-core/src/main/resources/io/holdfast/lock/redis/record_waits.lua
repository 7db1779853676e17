-- Records which callers of a client wait for a lock while they hold others, in place of what was recorded before.
-- KEYS  1 the waits of all clients: a hash with a field for each client, named by its id; the time of the report on the first line, and
--         then the report, which RedisWaits writes and reads
-- ARGV  1 client; 2 its report, empty if none of its callers waits; 3 how long that is kept, in ms; 4 whether to remove clients that
--         have not reported for that long (0 or 1)
-- returns the time
-- include common
local now, ttl_ms = now_us(), tonumber(ARGV[3])
if ARGV[2] == '' then
  call('HDEL', KEYS[1], ARGV[1])
else
  call('HSET', KEYS[1], ARGV[1], string.format('%d\n%s', now, ARGV[2]))
  call('PEXPIRE', KEYS[1], ttl_ms)
end
if ARGV[4] == '1' then
  local fields = call('HGETALL', KEYS[1])
  for i = 1, #fields, 2 do
    local reported_at = tonumber(string.match(fields[i + 1], '^(%d+)\n'))
    if not reported_at or reported_at < now - ttl_ms * 1000 then
      call('HDEL', KEYS[1], fields[i])
    end
  end
end
return string.format('%d', now)
