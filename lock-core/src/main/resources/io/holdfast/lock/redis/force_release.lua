-- Frees a lock, whoever holds it.
-- KEYS  1 the lock
-- ARGV  1 token retention in ms
-- returns {remaining in us, owner, holder, since in us, token} of who held it, or {} if nobody did
local key = KEYS[1]
local lock = redis.call('HMGET', key, 'lease_end', 'owner', 'holder', 'since', 'token', 'graves_end')
local now = now_us()
if not lock[1] then
  return {}
end
redis.call('HDEL', key, 'owner', 'lease_end', 'since', 'holder')
keep(key, now, now, lock[6], tonumber(ARGV[1]))
if tonumber(lock[1]) <= now then
  return {}
end
return {lock[1] - now, lock[2], lock[3], tonumber(lock[4]), tonumber(lock[5])}
