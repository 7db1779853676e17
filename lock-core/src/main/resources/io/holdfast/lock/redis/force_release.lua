-- Takes a lock away from its holders, and passes it on to waiters. Of a lock that cannot be read, nothing is left but the token.
-- KEYS  1 the lock  2 where to remember the reply, so that a call that is sent twice has one effect; missing if it cannot be
-- ARGV  1 token retention in ms  2 EXCLUSIVE or SHARED to end holds of that mode only; empty for all
-- returns RELEASED; then the former holders, as in describe.lua, one after another; one that cannot be read is unknown
-- include common
-- include queue
-- include describe
local retention_ms = tonumber(ARGV[1])
local REMEMBERED_MS = 600000

local earlier = KEYS[2] and call('HGET', KEYS[2], 'reply')
if earlier then
  return earlier
end

local function remembered(reply)
  if KEYS[2] then
    call('HSET', KEYS[2], 'reply', reply)
    call('PEXPIRE', KEYS[2], REMEMBERED_MS)
  end
  return reply
end

local function describe_or_unknown(mode, description, ...)
  local fine, text = pcall(description, ...)
  return fine and text or string.format('\n0 unknown:0 %d 1\nunknown\n0\nunknown', mode)
end

-- A lock that is only kept after its release has no owner to notify.
local function revoke(lock, owner)
  confirm(lock, owner)
  if string.sub(owner, 1, 1) ~= '-' then
    notify(lock, owner, 'revoked', '')
  end
end

-- Returns the former holders, and the lock if it is to be written; writes nothing itself.
local function release()
  local lock, former = load(KEYS[1], now_us(), retention_ms), ''
  if not (lock.token and lock.token < MAX) then
    damaged('token')
  end
  for _, ticket in ipairs(all_tickets(lock)) do
    readable_entry(lock, ticket)
  end
  for _, entry in ipairs(drop_expired(lock)) do
    lock.head = math.min(lock.head, entry.ticket)
  end
  if lock.owner and ARGV[2] ~= 'SHARED' then
    former = describe_or_unknown(0, describe_exclusive, lock)
    revoke(lock, lock.owner)
    lock.owner = nil
  end
  for _, owner in ipairs(ARGV[2] ~= 'EXCLUSIVE' and shared_owners(lock) or {}) do
    local hold = shared_hold(lock, owner)
    if hold then
      former = former .. describe_or_unknown(1, describe_shared, lock, owner, hold)
      revoke(lock, owner)
      remove_shared(lock, owner, hold)
    end
  end
  lock.shared = ARGV[2] == 'EXCLUSIVE' and lock.shared or 0
  if lock.token == 0 and former == '' then
    return former
  end
  settle(lock)
  return former, lock
end

local fine, former, lock = pcall(release)
if fine then
  if lock then
    close(lock)
  end
  return remembered('RELEASED' .. former)
end
if string.find(failure(former), 'LAYOUT %d') then
  error(failure(former), 0)
end
local token = tonumber(call('HGET', KEYS[1], 'token') or '')
for _, field in ipairs(call('HKEYS', KEYS[1])) do
  if field ~= 'token' or not (token and token < MAX) then
    call('HDEL', KEYS[1], field)
  end
end
call('PEXPIRE', KEYS[1], retention_ms)
return remembered('RELEASED' .. describe_or_unknown(0, damaged))
