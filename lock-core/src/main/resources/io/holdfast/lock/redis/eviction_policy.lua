-- Reads what a server does when its memory is full; writes nothing.
-- KEYS  1 any lock on that server, so that a cluster knows which server is meant
-- returns the policy; unknown if the server does not report it
return string.match(redis.call('INFO', 'memory'), 'maxmemory_policy:(%S+)') or 'unknown'
