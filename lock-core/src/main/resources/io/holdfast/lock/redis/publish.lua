-- Publishes empty messages, which clients ignore, to check how scripts may publish; writes nothing.
-- KEYS  1 a lock, on whose server the script runs
-- ARGV  1 the channel  2 the channel in the slot of the lock; absent if there are none
-- returns for each channel one line: empty if scripts may publish to it, otherwise the error
local function attempt(command, channel)
  local reply = redis.pcall(command, channel, '')
  return type(reply) == 'table' and string.gsub(reply.err, '%c', ' ') or ''
end

local reply = attempt('PUBLISH', ARGV[1])
return ARGV[2] and reply .. '\n' .. attempt('SPUBLISH', ARGV[2]) or reply
