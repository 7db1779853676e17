-- Shared by all scripts; put in front of each. One lock is one hash:
--   owner        OwnerId of the holder; with '-' in front while the lock is kept for its minimum time after release
--   lease_end    when the holder's lease ends, Redis time in microseconds
--   since        when it was granted, Redis time in microseconds
--   holder       host, pid, thread of the holder, one a line, for people
--   token        the last fencing token handed out
--   seat:<owner>   a waiting acquisition, until when it counts as alive
--   grave:<owner>  tombstone of an undone acquisition, until when it is refused
--   graves_end   the latest end of a tombstone
--   prune_at     when expired seats and tombstones are to be looked for
-- Numbers are written by fmt(), since Lua would write a time in microseconds in scientific notation.

local SEAT_US = 3000000

local function now_us()
  local time = redis.call('TIME')
  return time[1] * 1000000 + time[2]
end

local function fmt(number)
  return string.format('%.0f', number)
end

-- The key lives until the latest of what it holds, and then as long as the token is to be remembered.
local function keep(key, now, until_us, graves_end, retention_ms)
  local last = math.max(until_us, tonumber(graves_end) or 0)
  redis.call('PEXPIRE', key, fmt(math.max(0, math.ceil((last - now) / 1000)) + retention_ms))
end

-- Drops what has expired: at most once in every seat time-out, so that its cost is shared by many calls.
local function prune(key, now, prune_at)
  if prune_at and now < tonumber(prune_at) then
    return
  end
  local fields = redis.call('HGETALL', key)
  for i = 1, #fields, 2 do
    local kind = string.match(fields[i], '^(%l+):')
    if (kind == 'seat' or kind == 'grave') and tonumber(fields[i + 1]) <= now then
      redis.call('HDEL', key, fields[i])
    end
  end
  redis.call('HSET', key, 'prune_at', fmt(now + SEAT_US))
end
