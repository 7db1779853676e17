-- Gives a lock back. Its first write does not grow, so it works when Redis is out of memory: Redis refuses a growing
-- write only while the script has written nothing yet.
-- KEYS  1 the lock
-- ARGV  1 owner  2 token retention in ms  3 how long the lock is to be kept from now, in ms; 0 frees it
-- returns {'RELEASED'} or {'NOT_HOLDER'}
local key, retention_ms, keep_us = KEYS[1], tonumber(ARGV[2]), tonumber(ARGV[3]) * 1000
local lock = redis.call('HMGET', key, 'owner', 'graves_end')
if lock[1] ~= ARGV[1] then
  return {'NOT_HOLDER'}
end
local now = now_us()
keep(key, now, now + keep_us, lock[2], retention_ms)
if keep_us > 0 then
  redis.call('HSET', key, 'owner', '-' .. ARGV[1], 'lease_end', fmt(now + keep_us))
else
  redis.call('HDEL', key, 'owner', 'lease_end', 'since', 'holder')
end
return {'RELEASED'}
