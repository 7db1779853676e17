-- Notes since when this server has known all locks: since it was started, or since its data was lost. An earlier note stays.
-- KEYS  1 when it joined
-- ARGV  1 for how long it has been running, in s, rounded down  2 for how long the note is kept, in ms
-- returns when it joined, in us
local time = redis.call('TIME')
local joined = string.format('%d', (time[1] - ARGV[1]) * 1000000 + time[2])
redis.call('SET', KEYS[1], joined, 'NX', 'PX', ARGV[2])
return redis.call('GET', KEYS[1])
