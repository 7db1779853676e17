-- Releases a lock, and passes it on to waiters: give_back.lua, and settle() in queue.lua. The first write deletes, so the script works
-- when Redis is out of memory: Redis refuses a growing write only while the script has written nothing yet.
-- KEYS  1 the lock
-- ARGV  1 owner  2 token retention in ms
--       3 how long the lock is to be kept from now, in ms, 0 to free it; the last used of the reserved tokens, 0 if all count as used;
--         absent for 0 0 if the key needs no other expiry than it has
-- returns RELEASED or NOT_HOLDER; an exclusive lease that has ended counts as long as nobody requested the lock, unless the lock is to
--         be kept
-- A lock that nobody shares or waits for is freed before anything else is read, or defined.
local owner, wish = ARGV[1], ARGV[3]
if not wish and redis.call('HGET', KEYS[1], 'owner') == owner then
  redis.call('HDEL', KEYS[1], 'owner')
  return 'RELEASED'
end

-- include common
-- include queue
-- include give_back
local keep_ms, last_fencing_token = string.match(wish or '0 0', '^(%d+) (%d+)$')
return give_back(KEYS[1], now_us(), tonumber(ARGV[2]), owner, keep_ms, last_fencing_token)
