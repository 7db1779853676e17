-- Publishes an empty message, which clients ignore, to check whether scripts may publish; writes nothing.
-- KEYS  1 a lock, on whose server the script runs
-- ARGV  1 the channel
-- returns '' if scripts may publish; otherwise the error
local reply = redis.pcall('PUBLISH', ARGV[1], '')
return type(reply) == 'table' and reply.err or ''
