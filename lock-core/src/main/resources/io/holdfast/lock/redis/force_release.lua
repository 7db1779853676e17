-- Takes a lock away from its holders, and passes it on to waiters.
-- KEYS  1 the lock
-- ARGV  1 token retention in ms  2 EXCLUSIVE or SHARED to end holds of that mode only; empty for all
-- returns RELEASED; then the former holders, as in describe.lua, one after another
-- include common
-- include queue
-- include describe
local lock = load(KEYS[1], now_us(), tonumber(ARGV[1]))
local former = ''

for _, entry in ipairs(drop_expired(lock)) do
  lock.head = math.min(lock.head, entry.ticket)
end

-- A lock that is only kept after its release has no owner to notify.
local function revoke(owner)
  confirm(lock, owner)
  if string.sub(owner, 1, 1) ~= '-' then
    tell(lock, owner, 'revoked', '')
  end
end

if lock.owner and ARGV[2] ~= 'SHARED' then
  former = describe_exclusive(lock)
  revoke(lock.owner)
  lock.owner = nil
end
for _, owner in ipairs(ARGV[2] ~= 'EXCLUSIVE' and shared_owners(lock) or {}) do
  local hold = shared_hold(lock, owner)
  if hold then
    former = former .. describe_shared(lock, owner, hold)
    revoke(owner)
    remove_shared(lock, owner, hold)
  end
end
if lock.token > 0 then
  settle(lock)
  close(lock)
end
return 'RELEASED' .. former
