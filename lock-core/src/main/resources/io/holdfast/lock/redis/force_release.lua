-- Takes a lock away from whoever holds it, and passes it on to those who wait.
-- KEYS  1 the lock
-- ARGV  1 token retention in ms
-- returns RELEASED; then those who held it, as in describe.lua, one after the other
-- include common
-- include queue
-- include describe
local lock = load(KEYS[1], now_us(), tonumber(ARGV[1]))
local former = ''

for _, seat in ipairs(drop_expired(lock)) do
  lock.head = math.min(lock.head, seat.ticket)
end
if lock.owner then
  former = describe_exclusive(lock)
  confirm(lock, lock.owner)
  lock.owner = nil
end
for _, owner in ipairs(shared_owners(lock)) do
  local hold = shared_hold(lock, owner)
  if hold then
    former = former .. describe_shared(lock, owner, hold)
    confirm(lock, owner)
    put(lock, 'shared:' .. owner, false)
    lock.shared = lock.shared - 1
  end
end
if lock.token > 0 then
  settle(lock)
  close(lock)
end
return 'RELEASED' .. former
