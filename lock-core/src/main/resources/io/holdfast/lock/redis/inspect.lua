-- Reads a lock; writes nothing.
-- KEYS  1 the lock
-- returns last token, waiters; then the holders, as in describe.lua, one after another
-- include common
-- include queue
-- include describe
local lock = load(KEYS[1], now_us())
local holders, waiting = '', 0
if lock.owner and lock.now < lock.lease_end then
  holders = describe_exclusive(lock)
end
for _, owner in ipairs(shared_owners(lock)) do
  local hold = shared_hold(lock, owner)
  if hold and lock.now < hold.lease_end then
    holders = holders .. describe_shared(lock, owner, hold)
  end
end
for _, ticket in ipairs(lock.entries > 0 and tickets_from(lock, lock.head) or {}) do
  local entry = entry_at(lock, ticket)
  if not entry.reserved and entry.alive > lock.now then
    waiting = waiting + 1
  end
end
return string.format('%d %d', lock.token, waiting) .. holders
