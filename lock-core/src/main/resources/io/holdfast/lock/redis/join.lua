-- Notes since when this server has known all locks: since it was started, or since its data was lost. An earlier note stays.
-- The server says here for how long it has been running: to a client that asked before, it may be another one by now.
-- KEYS  1 when it joined
-- ARGV  1 for how long the note is kept, in ms
-- returns when it joined, in us
local uptime = string.match(redis.call('INFO', 'server'), 'uptime_in_seconds:(%d+)')
local time = redis.call('TIME')
local joined = string.format('%d', (time[1] - uptime) * 1000000 + time[2])
redis.call('SET', KEYS[1], joined, 'NX', 'PX', ARGV[1])
return redis.call('GET', KEYS[1])
