-- One try to get several locks in one step: all of them, or none. All are looked at before one is changed, and a refusal
-- changes nothing. Takes no entry. May be sent twice: holders are granted again, with the same tokens, and never a shorter
-- lease.
-- KEYS  the locks
-- ARGV  1 token retention in ms  2 host, pid, thread, one a line; then for each lock: owner, lease in ms, limit (0 exclusive) and
--       weight
-- returns GRANTED, then a line for each lock: first token, tokens reserved, who waits, as in acquire.lua; or
--         REFUSED and the number of the first lock that was, from 1 on, then what acquire.lua says: HELD or BURIED; or
--         BROKEN: one of them cannot be read, and none is granted; or
--         ERROR and what went wrong, after some were granted
-- include common
-- include queue
-- include describe
local now, retention_ms, where = now_us(), tonumber(ARGV[1]), ARGV[2]
local wishes = {}

-- Whether it was granted before, by an earlier send.
local function is_holder(wish)
  local lock = wish.lock
  wish.hold = lock.owner ~= wish.owner and shared_hold(lock, wish.owner)
  return lock.owner == wish.owner or wish.hold
end

-- Returns the refusal, or nothing. Changes by settle() are written only if all are granted.
local function refusal(i)
  local owner, lease_ms, limit, weight = ARGV[3 * i], ARGV[3 * i + 1], string.match(ARGV[3 * i + 2], '^(%d+)/?(%d*)$')
  local fields = call('HMGET', KEYS[i], 'owner', 'lease_end', 'token', 'crowd')
  if limit == '0' and not fields[4] and (not fields[1] or now >= tonumber(fields[2])) then
    wishes[i] = {owner = owner, lease_end = now + lease_ms * 1000, keep_ms = lease_ms + retention_ms,
      last_token = (fields[3] or 0) + 0}
    return nil
  end
  local lock = open(KEYS[i], now, retention_ms, fields)
  local wish = {lock = lock, owner = owner, lease_end = now + lease_ms * 1000, limit = tonumber(limit),
    weight = tonumber(weight) or 1}
  wishes[i] = wish
  local grave = lock.graves_end > 0 and get(lock, 'grave:' .. owner)
  if grave and now < tonumber(grave) then
    return 'BURIED'
  end
  settle(lock)
  if not is_holder(wish) and (lock.entries > 0 or not compatible(lock, wish.limit, wish.weight)) then
    return string.format('HELD %d %d', now, blocked_us(lock)) .. describe_any(lock)
  end
  return nil
end

-- The short path of acquire.lua, for a lock without holders and waiters.
local function take_free(key, wish)
  local token = string.format('%d', math.max(wish.last_token + 1, now))
  call('HSET', key, 'owner', wish.owner, 'lease_end', string.format('%d', wish.lease_end), 'token', token, 'holder', where)
  call('PEXPIRE', key, wish.keep_ms)
  return '\n' .. token .. ' 1 0'
end

local function take(i)
  local wish = wishes[i]
  if not wish.lock then
    return take_free(KEYS[i], wish)
  end
  local lock, hold, token, of = wish.lock, wish.hold, nil, 1
  if lock.owner == wish.owner then
    of = reserved_tokens(lock)
    token = lock.token - of + 1
    lock.lease_end = math.max(lock.lease_end, wish.lease_end)
    put(lock, 'lease_end', string.format('%d', lock.lease_end))
  elseif hold then
    token = hold.token
    hold.lease_end = math.max(hold.lease_end, wish.lease_end)
    lock.shared_end = math.max(lock.shared_end, hold.lease_end)
    write_shared(lock, wish.owner, hold)
  else
    token = grant(lock, wish.owner, wish.limit, wish.weight, wish.lease_end, 1, where)
  end
  close(lock)
  return string.format('\n%d %d %d', token, of, waiters(lock))
end

for i = 1, #KEYS do
  local ok, refused = pcall(refusal, i)
  if not ok then
    return 'BROKEN'
  end
  if refused then
    return 'REFUSED ' .. i .. '\n' .. refused
  end
end
-- If the first one cannot be written, the script fails, and has written nothing.
local reply = 'GRANTED' .. take(1)
for i = 2, #KEYS do
  local ok, granted = pcall(take, i)
  if not ok then
    return 'ERROR ' .. failure(granted)
  end
  reply = reply .. granted
end
return reply
