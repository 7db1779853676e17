-- One try to acquire a lock. May be sent twice: the holder is granted the lock again, with the same token, and its lease is never
-- shortened. But the lease replaces a reservation, even if the reservation would end later.
-- KEYS  1 the lock  2 when this server joined, see join.lua; absent if it grants unknown locks immediately
-- ARGV  1 owner  2 lease in ms  3 sum of lease and token retention in ms  4 host, pid, thread, one per line
--       5 limit (0 exclusive) and weight, 1 if fair, 1 to create or keep an entry if the lock is held, tokens to reserve, and 1 if a
--         holder's token is to be raised; absent for 0 0 1 1  6 the least token, 0 for any; absent for 0
--       7 how long after it joined the server does not grant unknown locks, in ms
-- returns the token, if only one was reserved and nobody waits; otherwise
--         GRANTED, first token, tokens reserved, which callers wait: 0 none, 1 at least one, 2 at least one fair
--         HELD, now in us, blocked for us, how many entries are in the queue, or 0 if the caller has none; then, if there is a
--         holder, one as in describe.lua
--         BURIED: the acquisition was cancelled
--         STRANGER: the server does not know when it joined, or its clock went back to before that
--         REJOINING, for how many more us: the server may have forgotten this lock
-- An exclusive lock that nobody holds, shares or waits for is granted before anything else is read, or defined.
local owner, lease_ms, keep_ms, wish, least = ARGV[1], ARGV[2], ARGV[3], ARGV[5], tonumber(ARGV[6] or 0)
local brief = redis.call('HMGET', KEYS[1], 'owner', 'lease_end', 'token', 'crowd')
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local lease_end = now + lease_ms * 1000
if KEYS[2] and not brief[3] then
  local joined = tonumber(redis.call('GET', KEYS[2]) or '')
  if not joined or joined > now then
    return 'STRANGER'
  end
  local left = joined + ARGV[7] * 1000 - now
  if left > 0 then
    return string.format('REJOINING %d', left)
  end
end
if not brief[4] and (not wish or wish == '0 0 0 1') and (not brief[1] or now >= tonumber(brief[2])) then
  local token = (brief[3] or 0) + 1
  if token < now then
    token = now
  end
  if token < least then
    token = least
  end
  token = string.format('%d', token)
  redis.call('HSET', KEYS[1], 'owner', owner, 'lease_end', string.format('%d', lease_end), 'token', token,
    'holder', ARGV[4])
  redis.call('PEXPIRE', KEYS[1], keep_ms)
  return token
end

-- include common
-- include queue
local limit, weight, fair, waiting, tokens, raise =
  string.match(wish or '0 0 1 1', '^(%d+)/?(%d*) (%d) (%d) (%d+)( ?1?)$')
limit, weight, fair, tokens = tonumber(limit), tonumber(weight) or 1, tonumber(fair), tonumber(tokens)
local lock = open(KEYS[1], now, keep_ms - lease_ms, brief)

local function granted(token, of)
  close(lock)
  return string.format('GRANTED %d %d %d', token, of, waiters(lock))
end

local grave = lock.graves_end > 0 and get(lock, 'grave:' .. owner)
if grave and now < tonumber(grave) then
  return 'BURIED'
end

-- The lock was granted to this owner before, or is reserved for it.
local function granted_again()
  if lock.owner == owner and now < lock.lease_end then
    lock.lease_end = later_end(lock, owner, lock.lease_end, lease_end)
    put(lock, 'lease_end', string.format('%d', lock.lease_end))
    local of = reserved_tokens(lock)
    local token = lock.token - of + 1
    if raise == ' 1' and token < least then
      token = least
      set_token(lock, least + of - 1)
    end
    return granted(token, of)
  end
  local hold = shared_hold(lock, owner)
  if hold and now < hold.lease_end then
    hold.lease_end = later_end(lock, owner, hold.lease_end, lease_end)
    lock.shared_min = math.min(lock.shared_min, hold.lease_end)
    lock.shared_end = math.max(lock.shared_end, hold.lease_end)
    if raise == ' 1' and hold.token < least then
      hold.token = math.max(least, lock.token + 1)
      set_token(lock, hold.token)
    end
    write_shared(lock, owner, hold)
    return granted(hold.token, 1)
  end
end

local known = granted_again()
if known then
  return known
end
local entry = entry_of(lock, owner)
if entry then
  entry.where, entry.tokens = ARGV[4], tokens -- another thread may have taken the place in line
  keep(lock, entry)
end
settle(lock)
if entry then
  known = granted_again()
  if known then
    return known
  end
  entry = entry_of(lock, owner)
elseif lock.entries == 0 and compatible(lock, limit, weight) then
  return granted(grant(lock, owner, limit, weight, lease_end, tokens, ARGV[4], least), limit == 0 and tokens or 1)
end

-- To find dead entries behind a live head, each new entry checks two more tickets.
local function sweep()
  for _ = 1, 2 do
    lock.sweep = lock.sweep + 1
    if lock.sweep > lock.tail or lock.sweep < lock.head then
      lock.sweep = lock.head
    end
    local sleeper = entry_at(lock, lock.sweep)
    if sleeper and is_implausible(lock, sleeper.alive) then
      clamp_to_clock(lock)
      sleeper = entry_at(lock, lock.sweep)
    end
    if sleeper and not sleeper.reserved and sleeper.alive <= now then
      drop_entry(lock, sleeper)
    end
  end
end

local function take_entry()
  local may_hand_off = lock.owner and string.sub(lock.owner, 1, 1) ~= '-' and reserved_tokens(lock) > 1
  if may_hand_off and (lock.entries == 0 or fair == 1) then
    notify(lock, lock.owner, 'awaited', '')
  end
  if lock.entries > 1 then
    sweep()
  end
  lock.tail = lock.tail + 1
  local taken = {ticket = lock.tail, owner = owner, limit = limit, weight = weight, fair = fair, alive = now + ENTRY_US,
    tokens = tokens, reserved = false, where = ARGV[4]}
  enqueue(lock, taken)
  put(lock, 'seat:' .. owner, lock.tail)
  write_entry(lock, taken)
end

if waiting == '1' then
  if not entry then
    take_entry()
  end
elseif entry then
  drop_entry(lock, entry)
  advance(lock)
end
-- include describe
local queued = waiting == '1' and math.min(lock.entries, MAX_CALLERS) or 0
local reply = string.format('HELD %d %d %d', now, blocked_us(lock), queued) .. describe_any(lock)
close(lock)
return reply
