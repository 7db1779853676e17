-- Reads any number of locks; writes nothing. Free locks, and keys that are not locks, are skipped.
-- KEYS  the locks
-- ARGV  1 the maximum number of holders to describe; 2 that of entries
-- returns how many locks could not be read, and their numbers, from 1; then for each other lock that is held or waited for: its number,
--         last token, waiters, for how long the first of them has waited, in us, 0 if unknown, and how many holders and entries follow;
--         the holders, as in describe.lua; the entries, four lines each: owner, mode (0 exclusive, 1 shared), fair (0 or 1), whether
--         the lock is reserved for it (0 or 1); host; pid; thread
-- include common
-- include queue
-- include describe
local now, most_holders, most_entries = now_us(), tonumber(ARGV[1]), tonumber(ARGV[2])

local function live_holders(lock)
  if lock.owner then
    return lock.now < lock.lease_end and {describe_exclusive(lock)} or {}
  end
  local holders = {}
  for _, owner in ipairs(shared_owners(lock)) do
    local hold = #holders < most_holders and shared_hold(lock, owner)
    if hold and lock.now < hold.lease_end then
      holders[#holders + 1] = describe_shared(lock, owner, hold)
    end
  end
  return holders
end

-- The first live entries, how many callers wait, and since when the first of them does. Of a long queue only the beginning is read.
local function live_entries(lock)
  local entries, first = {}, all_tickets(lock)
  local waiting, since = add_report_of_holder(math.min(lock.entries, #first), lock.now, lock)
  for i = 1, math.min(#first, 10 * most_entries) do
    local entry = readable_entry(lock, first[i])
    if entry.alive <= lock.now then
      waiting = waiting - (entry.reserved and 0 or 1)
    else
      waiting, since = add_report(waiting, since, get(lock, 'behind:' .. first[i]))
      if #entries < most_entries then
        entries[#entries + 1] = string.format('\n%s %d %d %d\n%s', entry.owner, entry.limit == 0 and 0 or 1, entry.fair,
          entry.reserved and 1 or 0, entry.where)
      end
    end
  end
  return entries, waiting, lock.now - since
end

local function look(key)
  local lock = load(key, now)
  local holders = live_holders(lock)
  local entries, waiting, longest = live_entries(lock)
  if #holders + #entries + waiting == 0 then
    return nil
  end
  return string.format('%d %d %d %d %d', lock.token, waiting, longest, #holders, #entries) .. table.concat(holders)
    .. table.concat(entries)
end

local locks, unreadable = {}, {}
for i, key in ipairs(KEYS) do
  local fine, text = pcall(look, key)
  if not fine then
    unreadable[#unreadable + 1] = i
  elseif text then
    locks[#locks + 1] = '\n' .. i .. ' ' .. text
  end
end
return table.concat({#unreadable, unpack(unreadable)}, ' ') .. table.concat(locks)
