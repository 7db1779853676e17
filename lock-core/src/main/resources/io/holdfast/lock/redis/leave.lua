-- Undoes an acquisition that has failed for good, even if one of its calls is still in transit.
-- KEYS  1 the lock
-- ARGV  1 owner  2 how long late calls are refused, in ms; 0 if none is in transit  3 token retention in ms
--       4 the last used of the reserved tokens, 0 if all count as used
-- returns LEFT
-- include common
-- include queue
local owner, bury_us = ARGV[1], ARGV[2] * 1000
local lock = load(KEYS[1], now_us(), tonumber(ARGV[3]))

-- At most once per entry timeout, so that its cost is shared by many calls.
local function prune()
  local at = get(lock, 'prune_at')
  if not at or lock.now >= tonumber(at) or is_implausible(lock, tonumber(at)) then
    drop_graves(lock)
    put(lock, 'prune_at', string.format('%d', lock.now + ENTRY_US))
  end
end

local hold = shared_hold(lock, owner)
give_up_entry(lock, owner)
if lock.owner == owner then
  give_back_tokens(lock, ARGV[4], 0)
  lock.owner = nil
end
if hold then
  remove_shared(lock, owner, hold)
end
if bury_us > 0 then
  prune()
  lock.graves_end = math.max(lock.graves_end, lock.now + bury_us)
  put(lock, 'grave:' .. owner, string.format('%d', lock.now + bury_us))
end
settle(lock)
close(lock)
return 'LEFT'
