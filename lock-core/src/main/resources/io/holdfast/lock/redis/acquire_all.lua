-- One try to acquire several locks in one step: all of them, or none. All are read before one is changed, and a refusal changes
-- nothing. Creates no entry. May be sent twice: holders are granted their locks again, with the same tokens, and their leases are never
-- shortened.
-- KEYS  the locks
-- ARGV  1 token retention in ms  2 host, pid, thread, one per line; then for each lock: owner, lease in ms, limit (0 exclusive) and
--       weight
-- returns GRANTED, then a line for each lock: first token, tokens reserved, which callers wait, as in acquire.lua; or
--         REFUSED and the number of the first lock that was refused, from 1, then what acquire.lua returns: HELD or BURIED; or
--         BROKEN: one of them cannot be read, and none is granted; or
--         ERROR and the reason, after some were granted
-- include common
-- include queue
-- include describe
local now, retention_ms, where = now_us(), tonumber(ARGV[1]), ARGV[2]
local wishes, last_fencing_tokens = {}, {}

-- Whether it was granted before, by an earlier send.
local function is_holder(wish)
  local lock = wish.lock
  wish.hold = lock.owner ~= wish.owner and shared_hold(lock, wish.owner)
  return lock.owner == wish.owner or wish.hold
end

-- Returns the refusal, or nothing. Changes by settle() are written only if all are granted.
local function refusal(i)
  local owner, lease_ms, limit = ARGV[3 * i], ARGV[3 * i + 1], ARGV[3 * i + 2]
  local fields = call('HMGET', KEYS[i], 'owner', 'lease_end', 'token', 'crowd')
  if limit == '0' and not fields[4] and (not fields[1] or now >= tonumber(fields[2])) then
    last_fencing_tokens[i] = (fields[3] or 0) + 0
    return nil
  end
  local weight
  limit, weight = string.match(limit, '^(%d+)/?(%d*)$')
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
    return string.format('HELD %d %d 0', now, blocked_us(lock)) .. describe_any(lock)
  end
  return nil
end

local now_text = string.format('%d', now)
local lease_ends, times_to_live = {}, {}

-- The short path of acquire.lua, for a lock without holders or waiters. Most locks of a call have the same lease and get the same
-- token, so these are formatted only once.
local function take_free(i)
  local key, lease_ms, token = KEYS[i], ARGV[3 * i + 1], now_text
  if last_fencing_tokens[i] >= now then
    token = string.format('%d', last_fencing_tokens[i] + 1)
  end
  if not lease_ends[lease_ms] then
    lease_ends[lease_ms] = string.format('%d', now + lease_ms * 1000)
    times_to_live[lease_ms] = string.format('%d', lease_ms + retention_ms)
  end
  call('HSET', key, 'owner', ARGV[3 * i], 'lease_end', lease_ends[lease_ms], 'token', token, 'holder', where)
  call('PEXPIRE', key, times_to_live[lease_ms])
  return token .. ' 1 0'
end

local function take(i)
  if last_fencing_tokens[i] then
    return take_free(i)
  end
  local wish = wishes[i]
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
  return string.format('%d %d %d', token, of, waiters(lock))
end

local function first_refusal()
  for i = 1, #KEYS do
    local refused = refusal(i)
    if refused then
      return 'REFUSED ' .. i .. '\n' .. refused
    end
  end
end

local readable, refused = pcall(first_refusal)
if not readable then
  return 'BROKEN'
end
if refused then
  return refused
end
-- If the first one cannot be written, the script fails, and has written nothing.
local reply = {'GRANTED', take(1)}

local function take_others()
  for i = 2, #KEYS do
    reply[i + 1] = take(i)
  end
end

local written, why = pcall(take_others)
return written and table.concat(reply, '\n') or 'ERROR ' .. failure(why)
