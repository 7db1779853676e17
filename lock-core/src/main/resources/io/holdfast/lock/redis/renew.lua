-- Renews any number of leases. A broken or foreign key fails alone. The time-out of the key is written first, which also
-- lets the renewal pass when Redis is out of memory: Redis refuses a growing write only while the script has written
-- nothing yet.
-- KEYS  the locks
-- ARGV  1 token retention in ms, then for each lock: owner, lease in ms
-- returns for each lock 'RENEWED', 'NOT_HOLDER', or what went wrong
local now, retention_ms = now_us(), tonumber(ARGV[1])

local function renew(key, owner, lease_us)
  local lock = redis.call('HMGET', key, 'owner', 'lease_end', 'graves_end')
  if lock[1] ~= owner or tonumber(lock[2]) <= now then
    return 'NOT_HOLDER'
  end
  local lease_end = math.max(tonumber(lock[2]), now + lease_us)
  keep(key, now, lease_end, lock[3], retention_ms)
  redis.call('HSET', key, 'lease_end', fmt(lease_end))
  return 'RENEWED'
end

local replies = {}
for i, key in ipairs(KEYS) do
  local _, reply = pcall(renew, key, ARGV[2 * i], tonumber(ARGV[2 * i + 1]) * 1000)
  replies[i] = type(reply) == 'table' and reply.err or tostring(reply)
end
return replies
