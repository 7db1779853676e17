-- Notes since when this server has known all locks: since it was started, or since its data was lost. An earlier note stays.
-- The server says here for how long it has been running: to a client that asked before, it may be another one by now.
-- KEYS  1 when it joined
-- ARGV  1 for how long the note is kept, in ms
-- returns when it joined, in us
-- The note is never earlier than the start. Redis counts whole seconds: uptime = U - S, with S the second in which it was
-- started and U the second of the time that it read last, which is not after now. So it was started before S + 1, and S is
-- not after the second of now less uptime. S is read from a coarse clock, which may be behind by one tick of the system, up
-- to 10 ms; hence a little more than a second is added. A server that has been running for less has been started by now.
local SECOND_US, START_ROUNDED_US = 1000000, 1020000
local uptime = string.match(redis.call('INFO', 'server'), 'uptime_in_seconds:(%-?%d+)')
local time = redis.call('TIME')
local now = time[1] * SECOND_US + time[2]
local started = math.min(now, (time[1] - uptime) * SECOND_US + START_ROUNDED_US)
local known = redis.call('GET', KEYS[1])
-- A note that lies ahead is from before the clock went back. By how much it did nobody knows: it counts from now again.
if known and tonumber(known) <= now then
  return known
end
local joined = string.format('%d', started)
redis.call('SET', KEYS[1], joined, 'PX', ARGV[1])
return joined
