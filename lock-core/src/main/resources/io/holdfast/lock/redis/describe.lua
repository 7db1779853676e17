-- Describes holders, for people, in four lines each: remaining in us, owner, mode (0 exclusive, 1 shared), token; host; pid; thread.

local function describe(lock, lease_end, owner, mode, token, where)
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
  end
  return owners
end

-- Any holder; of several shared ones the latest, unless it is gone; an empty text if there is none.
local function describe_any(lock)
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
  return hold and describe_shared(lock, reader, hold) or ''
end
