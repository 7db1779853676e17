-- Gives a lock back, and passes it on to those who wait. Its first write deletes, so it works when Redis is out of
-- memory: Redis refuses a growing write only while the script has written nothing yet.
-- KEYS  1 the lock
-- ARGV  1 owner  2 token retention in ms
--       3 for how long the lock is to be kept from now, in ms, 0 frees it; the last token that was used of those that were
--         reserved, 0 if all count as used; none for 0 0, if the key needs no other time-out than it has
-- returns RELEASED or NOT_HOLDER; an exclusive lease that has ended counts as long as nobody came for the lock, unless it
--         is to be kept
-- A lock that nobody shares or waits for is freed before anything else is looked at, or defined.
local owner, wish = ARGV[1], ARGV[3]
if not wish and redis.call('HGET', KEYS[1], 'owner') == owner then
  redis.call('HDEL', KEYS[1], 'owner')
  return 'RELEASED'
end

-- include common
-- include queue
local keep_ms, last_token = string.match(wish or '0 0', '^(%d+) (%d+)$')
local lock = load(KEYS[1], now_us(), tonumber(ARGV[2]))
local keep_us = keep_ms * 1000
local hold = lock.owner ~= owner and shared_hold(lock, owner)
local lease_end = lock.owner == owner and lock.lease_end or hold and hold.lease_end or 0
local unmissed = lock.owner == owner and keep_us == 0 and lock.seats + lock.reserved == 0
if lock.now >= lease_end and not unmissed then
  give_up_seat(lock, owner)
  settle(lock)
  close(lock)
  return 'NOT_HOLDER'
end

confirm(lock, owner)
if hold then
  remove_shared(lock, owner, hold)
else
  lock.owner = nil
  give_back_tokens(lock, last_token, 0)
end
if keep_us == 0 then
  settle(lock)
elseif hold then
  hold.lease_end = lock.now + keep_us
  add_shared(lock, hold.lease_end, hold.weight)
  write_shared(lock, '-' .. owner, hold)
  put(lock, 'reader', '-' .. owner)
else
  lock.owner, lock.lease_end = '-' .. owner, lock.now + keep_us
  put(lock, 'lease_end', string.format('%d', lock.lease_end))
end
call('HDEL', KEYS[1], hold and 'shared:' .. owner or 'owner')
close(lock)
return 'RELEASED'
