-- The status of a lock, for people: last token, waiters, for how long the first of them has waited, in us, 0 if unknown, and how many
-- holders and entries follow; the holders, as in describe.lua; the entries, four lines each: owner, mode (0 exclusive, 1 shared), fair
-- (0 or 1), whether the lock is reserved for it (0 or 1); host; pid; thread. Fails if the lock cannot be read.

local function live_holders(lock, max_holders)
  if lock.owner then
    return lock.now < lock.lease_end and {describe_exclusive(lock)} or {}
  end
  local holders = {}
  for _, owner in ipairs(shared_owners(lock)) do
    local hold = #holders < max_holders and shared_hold(lock, owner)
    if hold and lock.now < hold.lease_end then
      holders[#holders + 1] = describe_shared(lock, owner, hold)
    end
  end
  return holders
end

-- The first live entries, how many callers wait, and since when the first of them does. Of a long queue only the beginning is read.
local function live_entries(lock, max_entries)
  local entries, first = {}, all_tickets(lock)
  local waiting, since = add_report_of_holder(math.min(lock.entries, #first), lock.now, lock)
  for i = 1, math.min(#first, 10 * max_entries) do
    local entry = readable_entry(lock, first[i])
    if entry.alive <= lock.now then
      waiting = waiting - (entry.reserved and 0 or 1)
    else
      waiting, since = add_report(waiting, since, get(lock, 'behind:' .. first[i]))
      if #entries < max_entries then
        entries[#entries + 1] = string.format('\n%s %d %d %d\n%s', entry.owner, entry.limit == 0 and 0 or 1, entry.fair,
          entry.reserved and 1 or 0, entry.where)
      end
    end
  end
  return entries, waiting, lock.now - since
end

-- Returns the status, and whether anybody holds the lock or waits for it.
local function status(lock, max_holders, max_entries)
  local holders = live_holders(lock, max_holders)
  local entries, waiting, longest = live_entries(lock, max_entries)
  return string.format('%d %d %d %d %d', lock.token, waiting, longest, #holders, #entries) .. table.concat(holders)
    .. table.concat(entries), #holders + #entries + waiting > 0
end
