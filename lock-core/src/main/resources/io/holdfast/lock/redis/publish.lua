-- Publishes an empty message, which clients ignore, to learn whether scripts may publish; writes nothing.
-- KEYS  1 a lock, so that the server that has it is asked
-- ARGV  1 the channel
-- returns nothing but '' if it may; otherwise why not
local reply = redis.pcall('PUBLISH', ARGV[1], '')
return type(reply) == 'table' and reply.err or ''
