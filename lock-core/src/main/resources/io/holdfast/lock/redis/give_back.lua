-- The part of release.lua for a lock whose state has to be read. Returns RELEASED or NOT_HOLDER.
local function give_back(key, now, retention_ms, owner, keep_ms, last_fencing_token)
  local lock = load(key, now, retention_ms)
  local keep_us = keep_ms * 1000
  local hold = lock.owner ~= owner and shared_hold(lock, owner)
  local lease_end = lock.owner == owner and lock.lease_end or hold and hold.lease_end or 0
  local unmissed = lock.owner == owner and keep_us == 0 and lock.entries + lock.reserved == 0
  if lock.now >= lease_end and not unmissed then
    give_up_entry(lock, owner)
    settle(lock)
    close(lock)
    return 'NOT_HOLDER'
  end

  confirm(lock, owner)
  if hold then
    remove_shared(lock, owner, hold)
  else
    lock.owner = nil
    give_back_tokens(lock, last_fencing_token, 0)
  end
  if keep_us == 0 then
    settle(lock)
  elseif hold then
    hold.lease_end = lock.now + keep_us
    add_shared(lock, hold.lease_end, hold.weight)
    write_shared(lock, '-' .. owner, hold)
    put(lock, 'reader', '-' .. owner)
  else
    lock.owner, lock.lease_end = '-' .. owner, lock.now + keep_us
    put(lock, 'lease_end', string.format('%d', lock.lease_end))
  end
  call('HDEL', key, hold and 'shared:' .. owner or 'owner')
  close(lock)
  return 'RELEASED'
end
