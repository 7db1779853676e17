-- Renews any number of leases. Never shortens one, but replaces a reservation with the lease. A broken or foreign key fails
-- individually. The expiry of the key is written first, which also lets the renewal succeed when Redis is out of memory: Redis refuses
-- a growing write only while the script has written nothing yet.
-- KEYS  the locks
-- ARGV  1 token retention in ms, then for each lock: owner; lease in ms, followed by how many callers wait behind the holder within its
--         client, and for how long the first of them has waited, in us, if there are any
-- returns nothing if all are renewed; otherwise a line for each that is not: its number, from 1, and NOT_HOLDER or the reason
-- include common
-- include queue
local now, retention_ms = now_us(), tonumber(ARGV[1])

-- What is to be written about those who wait behind the holder. A report of the same holder is replaced when nobody waits any more.
local function report(owner, callers, waited, fields)
  if callers ~= '' then
    return string.format('%s %d %d', owner, callers, now - waited)
  end
  return fields[5] and string.match(fields[5], '^%S+') == owner and owner .. ' 0 0'
end

local function renew_in_crowd(key, owner, lease_end, behind, fields)
  local lock = open(key, now, retention_ms, fields)
  local hold = lock.owner ~= owner and shared_hold(lock, owner)
  if lock.owner == owner and lock.lease_end > now then
    lock.lease_end = later_end(lock, owner, lock.lease_end, lease_end)
    put(lock, 'lease_end', string.format('%d', lock.lease_end))
    if behind then
      put(lock, 'behind', behind)
    end
  elseif hold and hold.lease_end > now then
    hold.lease_end = later_end(lock, owner, hold.lease_end, lease_end)
    lock.shared_min = math.min(lock.shared_min, hold.lease_end)
    lock.shared_end = math.max(lock.shared_end, hold.lease_end)
    write_shared(lock, owner, hold)
  else
    return 'NOT_HOLDER'
  end
  expire(lock)
  close(lock)
  return nil
end

local function renew(key, owner, lease)
  local fields = call('HMGET', key, 'owner', 'lease_end', 'token', 'crowd', 'behind')
  local lease_ms, callers, waited = string.match(lease, '^(%d+) ?(%d*) ?(%d*)$')
  local behind = report(owner, callers, waited, fields)
  local lease_end = now + lease_ms * 1000
  if fields[4] then
    return renew_in_crowd(key, owner, lease_end, behind, fields)
  end
  if fields[1] ~= owner or tonumber(fields[2]) <= now then
    return 'NOT_HOLDER'
  end
  lease_end = math.max(tonumber(fields[2]), lease_end)
  call('PEXPIRE', key, math.ceil((lease_end - now) / 1000) + retention_ms)
  call('HSET', key, 'lease_end', string.format('%d', lease_end), unpack(behind and {'behind', behind} or {}))
  return nil
end

local lines = {}
for i, key in ipairs(KEYS) do
  local _, reply = pcall(renew, key, ARGV[2 * i], ARGV[2 * i + 1])
  if reply then
    lines[#lines + 1] = i .. ' ' .. failure(reply)
  end
end
return table.concat(lines, '\n')
