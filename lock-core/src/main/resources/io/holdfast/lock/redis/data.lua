-- Reads or writes the data of a lock, which lives in a key of its own, because it outlives the lock: a hash of the value, and at, the time
-- of the write.
-- A holder counts by its owner and lease, so a call of a former holder is refused. But threads that hand the lock to each other within
-- their client have the same owner, so the lock also remembers the greatest fencing token that has read or written, and refuses lesser
-- ones: they are of former threads. So after a holder has read, no delayed write of its predecessors arrives, even if there was no data.
-- The token is a field of the lock, not of the data: between different owners it is not needed, and the lock, which also has the last
-- token granted, lives at least as long as its owner. Beside the data it would outlive that one: if Redis' clock was then set back, the
-- next holder, with a lower token, could not use the data.
-- A holder may write again when a write was not answered, and that one may still arrive. So the writes of a hold are numbered, and the
-- lock remembers the last number. An earlier write that arrives after it is dropped, and reported as done: it was made at the same time, and
-- has been overwritten at once, or its caller has gone.
-- KEYS  1 the lock  2 its data
-- ARGV  1 token retention in ms  2 owner  3 its fencing token; without both, reads for anybody, and writes nothing
--       4 number of the write, from 1  5 how long to keep the value, in ms  6 the value; without these, reads
-- returns NOT_HOLDER, and nothing has changed; or now and the time of the write, in us, 0 if there is no data; and the value in the next
--         line if it was read
-- include common
local now, owner, value = now_us(), ARGV[2], ARGV[6]

-- Whether the owner may read or write; if so, whether it is to write, unless a later write of the same hold has come first.
local function admit(token, number)
  local lock = load(KEYS[1], now, tonumber(ARGV[1]))
  local last_token, last_number = string.match(get(lock, 'data') or '', '^(%d+) (%d+)$')
  last_token, last_number = tonumber(last_token or 0), tonumber(last_number or 0)
  if lock.owner ~= owner or lock.lease_end <= now or token < last_token then
    return false
  end
  if not value then
    expire(lock) -- a demoted primary, which may have less, rejects a write; a full Redis allows this one
  end
  if token == last_token and number <= last_number then
    return true, value and number == last_number
  end
  put(lock, 'data', string.format('%d %d', token, number))
  close(lock)
  return true, value
end

local admitted, writes = true, false
if owner then
  admitted, writes = admit(tonumber(ARGV[3]), tonumber(ARGV[4] or 0))
end
if not admitted then
  return 'NOT_HOLDER'
end
if writes then
  call('HSET', KEYS[2], 'value', value, 'at', string.format('%d', now))
  call('PEXPIRE', KEYS[2], ARGV[5])
end
if value then
  return string.format('%d %d', now, now)
end
local data = call('HMGET', KEYS[2], 'value', 'at')
return string.format('%d %s\n', now, data[2] or '0') .. (data[1] or '')
