-- One try to get a lock. May be sent twice: the holder is granted again, with the same token, and never a shorter lease.
-- KEYS  1 the lock
-- ARGV  1 owner  2 lease in ms  3 token retention in ms  4 holder, for people  5 '1' to be counted as waiting
-- returns {'GRANTED', token}
--         {'HELD', remaining in us, owner, holder, since in us, token}
--         {'BURIED'}
local key, owner = KEYS[1], ARGV[1]
local lease_us, retention_ms = tonumber(ARGV[2]) * 1000, tonumber(ARGV[3])
local lock = redis.call('HMGET', key, 'owner', 'lease_end', 'token', 'graves_end', 'grave:' .. owner, 'seat:' .. owner)
local now = now_us()
local holder, lease_end, graves_end = lock[1], tonumber(lock[2] or 0), lock[4]

if lock[5] and now < tonumber(lock[5]) then
  return {'BURIED'}
end

if holder and now < lease_end then
  if holder == owner then
    lease_end = math.max(lease_end, now + lease_us)
    redis.call('HSET', key, 'lease_end', fmt(lease_end))
    keep(key, now, lease_end, graves_end, retention_ms)
    return {'GRANTED', tonumber(lock[3])}
  end
  if ARGV[5] == '1' then
    redis.call('HSET', key, 'seat:' .. owner, fmt(now + SEAT_US))
    prune(key, now, redis.call('HGET', key, 'prune_at'))
    keep(key, now, math.max(lease_end, now + SEAT_US), graves_end, retention_ms)
  else
    redis.call('HDEL', key, 'seat:' .. owner)
  end
  local who = redis.call('HMGET', key, 'holder', 'since')
  return {'HELD', lease_end - now, holder, who[1], tonumber(who[2]), tonumber(lock[3])}
end

local token = math.max((tonumber(lock[3]) or 0) + 1, now)
redis.call('HSET', key, 'owner', owner, 'lease_end', fmt(now + lease_us), 'since', fmt(now),
  'holder', ARGV[4], 'token', fmt(token))
if lock[6] then
  redis.call('HDEL', key, 'seat:' .. owner)
end
keep(key, now, now + lease_us, graves_end, retention_ms)
return {'GRANTED', token}
