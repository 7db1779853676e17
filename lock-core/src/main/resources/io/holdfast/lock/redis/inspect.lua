-- Reads a lock; writes nothing.
-- KEYS  1 the lock
-- returns last token, waiters, for how long the first of them has waited, in us, 0 if unknown; then the holders, as in describe.lua, one
--         after another
-- include common
-- include queue
-- include describe

local function look()
  local lock = load(KEYS[1], now_us())
  local holders = ''
  local waiting, since = add_report_of_holder(0, lock.now, lock)
  if lock.owner and lock.now < lock.lease_end then
    holders = describe_exclusive(lock)
  end
  for _, owner in ipairs(shared_owners(lock)) do
    local hold = shared_hold(lock, owner)
    if hold and lock.now < hold.lease_end then
      holders = holders .. describe_shared(lock, owner, hold)
    end
  end
  for _, ticket in ipairs(all_tickets(lock)) do
    local entry = readable_entry(lock, ticket)
    if entry.alive > lock.now then
      waiting, since = add_report(waiting + (entry.reserved and 0 or 1), since, get(lock, 'behind:' .. ticket))
    end
  end
  return string.format('%d %d %d', lock.token, waiting, lock.now - since) .. holders
end

local fine, reply = pcall(look)
if not fine then
  local reason = failure(reply)
  error(string.find(reason, 'LAYOUT') and reason or 'LAYOUT unknown of this lock; it can be released by force: ' .. reason, 0)
end
return reply
