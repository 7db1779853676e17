-- Turns the exclusive hold into a shared one, in one step, and reserves the lock for waiters that can share it.
-- KEYS  1 the lock
-- ARGV  1 owner  2 token retention in ms  3 the last used of the reserved tokens, 0 if all count as used
-- returns RELEASED or NOT_HOLDER
-- include common
-- include queue
local owner = ARGV[1]
local lock = load(KEYS[1], now_us(), tonumber(ARGV[2]))
local hold, reply = shared_hold(lock, owner), 'RELEASED'
if lock.owner == owner and lock.now < lock.lease_end then
  local tokens, where = reserved_tokens(lock)
  confirm(lock, owner)
  put(lock, 'reader', owner)
  lock.owner = nil
  add_shared(lock, lock.lease_end, 1)
  write_shared(lock, owner, {lease_end = lock.lease_end, token = lock.token - tokens + 1,
    weight = 1, where = where})
  give_back_tokens(lock, ARGV[3], 1)
elseif not hold or lock.now >= hold.lease_end then
  give_up_entry(lock, owner)
  reply = 'NOT_HOLDER'
end
settle(lock)
close(lock)
return reply
