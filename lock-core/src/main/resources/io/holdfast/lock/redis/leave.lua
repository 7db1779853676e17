-- Undoes an acquisition that failed for good, also if one of its calls is still on its way.
-- KEYS  1 the lock
-- ARGV  1 owner  2 for how long late calls are refused, in ms; 0 if none is on its way  3 token retention in ms
-- returns {'LEFT'}
local key, owner, bury_us, retention_ms = KEYS[1], ARGV[1], tonumber(ARGV[2]) * 1000, tonumber(ARGV[3])
local lock = redis.call('HMGET', key, 'owner', 'lease_end', 'graves_end', 'prune_at')
local now = now_us()
local lease_end, graves_end = tonumber(lock[2] or 0), tonumber(lock[3] or 0)

redis.call('HDEL', key, 'seat:' .. owner)
if lock[1] == owner then
  lease_end = 0
  redis.call('HDEL', key, 'owner', 'lease_end', 'since', 'holder')
end
if bury_us > 0 then
  graves_end = math.max(graves_end, now + bury_us)
  redis.call('HSET', key, 'grave:' .. owner, fmt(now + bury_us), 'graves_end', fmt(graves_end))
  prune(key, now, lock[4])
end
keep(key, now, lease_end, graves_end, retention_ms)
return {'LEFT'}
