-- Records when this server began to know all locks: when it was started, or when its data was lost. An earlier record is kept. The
-- uptime is read here, by the server itself: if a client read it first, another server might have replaced that one by now.
-- KEYS  1 when it joined
-- ARGV  1 how long the record is kept, in ms
-- returns when it joined, in us
-- The recorded time is never earlier than the start. Redis counts whole seconds: uptime = U - S, with S the second in which it was
-- started and U the second of the time that it read last, which is not after now. So it was started before S + 1, and S is not after
-- the second of now minus uptime. S is read from a coarse clock, which may be behind by one tick of the system, up to 10 ms; hence a
-- little more than a second is added. For a server that has been running for less than that, the time is now, which is not before its
-- start either.
local SECOND_US, START_ROUNDED_US = 1000000, 1020000
local uptime = string.match(redis.call('INFO', 'server'), 'uptime_in_seconds:(%-?%d+)')
local time = redis.call('TIME')
local now = time[1] * SECOND_US + time[2]
local started = math.min(now, (time[1] - uptime) * SECOND_US + START_ROUNDED_US)
local known = redis.call('GET', KEYS[1])
-- A recorded time in the future is from before the clock went back. By how much is unknown, so the time is determined again.
if known and tonumber(known) <= now then
  return known
end
local joined = string.format('%d', started)
redis.call('SET', KEYS[1], joined, 'PX', ARGV[1])
return joined
