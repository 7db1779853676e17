-- Describes holders, for people, in four lines each: remaining in us, owner, mode (0 exclusive, 1 shared), token; host; pid; thread.
-- Fails if something else has written what is to be described, so that the reply can always be read.

local MAX, MAX_CALLERS = 2 ^ 62, 2 ^ 31 - 1

local function damaged(what)
  error(what .. ' cannot be read', 0)
end

local function check_caller(owner, where)
  local pid = string.match(where, '^[^\n]*\n(%d+)\n[^\n]*$')
  if not pid or #pid > 18 or not string.find(owner, '^[^%s:]+:%d+$') then
    damaged('owner or holder')
  end
end

local function describe(lock, lease_end, owner, mode, token, where)
  check_caller(owner, where)
  if not (token >= 1 and token < MAX and lease_end < MAX) then
    damaged('token or lease_end')
  end
  return string.format('\n%d %s %d %d\n%s', math.max(0, lease_end - lock.now), owner, mode, token, where)
end

local function describe_exclusive(lock)
  local tokens, where = reserved_tokens(lock)
  return describe(lock, lock.lease_end, lock.owner, 0, lock.token - tokens + 1, where)
end

local function describe_shared(lock, owner, hold)
  return describe(lock, hold.lease_end, owner, 1, hold.token, hold.where)
end

-- The owners of all shared holds.
local function shared_owners(lock)
  local owners = {}
  if lock.shared > 0 then
    for _, field in ipairs(call('HKEYS', lock.key)) do
      owners[#owners + 1] = string.match(field, '^shared:(.*)$')
    end
    if #owners == 0 then
      damaged('crowd')
    end
  end
  return owners
end

local function any_holder(lock)
  if lock.owner then
    return describe_exclusive(lock)
  end
  local reader = lock.shared > 0 and get(lock, 'reader')
  local hold = reader and shared_hold(lock, reader)
  if lock.shared > 0 and not hold then
    reader = shared_owners(lock)[1]
    hold = reader and shared_hold(lock, reader)
    put(lock, 'reader', reader)
  end
  return hold and describe_shared(lock, reader, hold)
end

-- Any holder; of several shared ones the latest, unless it is gone; an empty text if there is none, or if it is damaged.
local function describe_any(lock)
  local fine, text = pcall(any_holder, lock)
  return fine and text or ''
end

-- The tickets of all entries.
local function all_tickets(lock)
  local tickets = (lock.entries > 0 or lock.reserved > 0) and tickets_from(lock, 0) or {}
  if #tickets < lock.entries + lock.reserved then
    damaged('crowd')
  end
  return tickets
end

-- One of these entries.
local function readable_entry(lock, ticket)
  local entry = entry_at(lock, ticket)
  check_caller(entry.owner, entry.where)
  return entry
end

-- Adds what a client has last reported of the callers that wait in it, to how many wait and to the time since which the first one does.
local function add_report(waiting, since, report)
  local callers, first = string.match(report or '', '^(%d+) (%d+)$')
  if not callers then
    return waiting, since
  end
  return math.min(waiting + callers, MAX_CALLERS), math.min(since, tonumber(first))
end

-- The same for those behind the exclusive holder.
local function add_report_of_holder(waiting, since, lock)
  local owner, report = string.match(lock.behind or '', '^(%S+) ([1-9]%d* %d+)$')
  if owner and owner == lock.owner and lock.now < lock.lease_end then
    return add_report(waiting, since, report)
  end
  return waiting, since
end
