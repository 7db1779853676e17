-- Holders, queue, and the step that ends every change to them: settle().

local LONG_GAP = 100

local function entry_at(lock, ticket)
  local record = get(lock, 'ticket:' .. ticket)
  if not record then
    return nil
  end
  local owner, limit, weight, fair, alive, tokens, reserved, where =
    string.match(record, '^(%S+) (%d+)/?(%d*) (%d) (%d+) (%d+) (%d)\n(.*)$')
  return {ticket = tonumber(ticket), owner = owner, limit = tonumber(limit), weight = tonumber(weight) or 1,
    fair = tonumber(fair), alive = tonumber(alive), tokens = tonumber(tokens), reserved = reserved == '1', where = where}
end

local function entry_of(lock, owner)
  local ticket = (lock.entries > 0 or lock.reserved > 0) and get(lock, 'seat:' .. owner)
  return ticket and entry_at(lock, ticket)
end

local function write_entry(lock, entry)
  put(lock, 'ticket:' .. entry.ticket, string.format('%s %s %d %d %d %d\n%s', entry.owner,
    with_weight(entry.limit, entry.weight), entry.fair, entry.alive, entry.tokens, entry.reserved and 1 or 0, entry.where))
end

local function enqueue(lock, entry)
  lock.entries, lock.fair = lock.entries + 1, lock.fair + entry.fair
end

local function dequeue(lock, entry)
  lock.entries, lock.fair = lock.entries - 1, lock.fair - entry.fair
end

local function drop_entry(lock, entry)
  put(lock, 'ticket:' .. entry.ticket, false)
  put(lock, 'behind:' .. entry.ticket, false)
  put(lock, 'seat:' .. entry.owner, false)
  if entry.reserved then
    lock.reserved = lock.reserved - 1
  else
    dequeue(lock, entry)
  end
end

-- The owner no longer waits. Its entry is deleted immediately: a script that begins with this works when Redis is out of memory, see
-- release.lua.
local function give_up_entry(lock, owner)
  local entry = entry_of(lock, owner)
  call('HDEL', lock.key, 'seat:' .. owner)
  if entry then
    drop_entry(lock, entry)
  end
end

-- The owner has called: its hold is confirmed, and it no longer needs its entry. Returns whether it was a reservation.
local function confirm(lock, owner)
  local entry = lock.reserved > 0 and entry_of(lock, owner)
  if entry then
    drop_entry(lock, entry)
  end
  return entry
end

-- The end of the lease of an owner that has called. The lease that it requests replaces its reservation, even if the reservation would
-- end later. A lease is never shortened.
local function later_end(lock, owner, current, lease_end)
  return confirm(lock, owner) and lease_end or math.max(current, lease_end)
end

local function compatible(lock, limit, weight)
  return not lock.owner and (limit == 0 and lock.shared == 0 or lock.shared + weight <= limit)
end

local function add_shared(lock, lease_end, weight)
  lock.shared_min = lock.shared == 0 and lease_end or math.min(lock.shared_min, lease_end)
  lock.shared_end = lock.shared == 0 and lease_end or math.max(lock.shared_end, lease_end)
  lock.shared = lock.shared + weight
end

local function write_shared(lock, owner, hold)
  put(lock, 'shared:' .. owner,
    string.format('%d %s\n%s', hold.lease_end, with_weight(hold.token, hold.weight), hold.where))
end

local function remove_shared(lock, owner, hold)
  put(lock, 'shared:' .. owner, false)
  lock.shared = lock.shared - hold.weight
end

-- The shared holder's record, or nil.
local function shared_hold(lock, owner)
  local record = lock.shared > 0 and get(lock, 'shared:' .. owner)
  if not record then
    return nil
  end
  local lease_end, token, weight, where = string.match(record, '^(%d+) (%d+)/?(%d*)\n(.*)$')
  return {lease_end = tonumber(lease_end), token = tonumber(token), weight = tonumber(weight) or 1, where = where}
end

local function set_token(lock, last)
  lock.token = last
  put(lock, 'token', string.format('%d', last))
end

-- Makes an owner a holder; returns the first of its tokens.
local function grant(lock, owner, limit, weight, lease_end, tokens, where, least)
  local token = math.max(lock.token + 1, lock.now, least or 0)
  set_token(lock, limit == 0 and token + tokens - 1 or token)
  if limit == 0 then
    lock.owner, lock.lease_end = owner, lease_end
    put(lock, 'lease_end', string.format('%d', lease_end))
    put(lock, 'holder', tokens > 1 and tokens .. '\n' .. where or where)
  else
    add_shared(lock, lease_end, weight)
    put(lock, 'reader', owner)
    write_shared(lock, owner, {lease_end = lease_end, token = token, weight = weight, where = where})
  end
  return token
end

-- A reservation ends when its entry would be dead: a dead waiter holds up others for one entry timeout from its last call, and any
-- number of them in a row together no longer than that. So an entry whose reservation has lapsed is dead, unless its client has called
-- since: the lock is reserved for a silent one only once.
local function reserve(lock, entry)
  local lease_end = entry.alive
  local token = grant(lock, entry.owner, entry.limit, entry.weight, lease_end, entry.tokens, entry.where)
  dequeue(lock, entry)
  lock.reserved = lock.reserved + 1
  entry.reserved = true
  write_entry(lock, entry)
  notify(lock, entry.owner, 'granted', string.format(' %d %d %d %d', token, entry.tokens, lock.now, lease_end))
end

-- A hold has ended. If it was a reservation and its entry is alive, the entry is in the queue again.
local function lapse(lock, owner, lapsed)
  local entry = lock.reserved > 0 and entry_of(lock, owner)
  if entry and entry.alive > lock.now then
    entry.reserved = false
    enqueue(lock, entry)
    lock.reserved = lock.reserved - 1
    write_entry(lock, entry)
    lapsed[#lapsed + 1] = entry
  elseif entry then
    drop_entry(lock, entry)
  end
end

-- Counts shared holders again; changes by this script are not in the hash yet.
local function drop_expired_shared(lock, lapsed)
  local fields = call('HGETALL', lock.key)
  lock.shared = 0
  for i = 1, #fields, 2 do
    local owner = string.match(fields[i], '^shared:(.*)$')
    local record = lock.writes[fields[i]]
    if record == nil then
      record = fields[i + 1]
    end
    if owner and record then
      local lease_end, weight = string.match(record, '^(%d+) %d+/?(%d*)\n')
      if tonumber(lease_end) > lock.now then
        add_shared(lock, tonumber(lease_end), tonumber(weight) or 1)
      else
        put(lock, fields[i], false)
        lapse(lock, owner, lapsed)
      end
    end
  end
end

local function is_implausible(lock, time)
  return time > lock.now + ENTRY_US
end

-- The clock has gone back: entries and reservations would last until it catches up. So each is limited, once, to one entry timeout from
-- now; clients that are alive will keep theirs.
local function clamp_to_clock(lock)
  local latest = lock.now + ENTRY_US
  local fields = call('HGETALL', lock.key)
  for i = 1, #fields, 2 do
    local ticket = string.match(fields[i], '^ticket:(%d+)$')
    local entry = ticket and entry_at(lock, ticket)
    if entry and is_implausible(lock, entry.alive) then
      entry.alive = latest
      write_entry(lock, entry)
    end
    local hold = entry and entry.reserved and lock.owner ~= entry.owner and shared_hold(lock, entry.owner)
    if hold and is_implausible(lock, hold.lease_end) then
      hold.lease_end = latest
      lock.shared_min = math.min(lock.shared_min, latest)
      write_shared(lock, entry.owner, hold)
    elseif entry and entry.reserved and lock.owner == entry.owner and is_implausible(lock, lock.lease_end) then
      lock.lease_end = latest
      put(lock, 'lease_end', string.format('%d', latest))
    end
  end
end

-- An owner that calls is alive; if it was paused, that had no effect unless its entry was dropped. An entry that was kept at a later
-- time shows that the clock went back.
local function keep(lock, entry)
  if is_implausible(lock, entry.alive) then
    clamp_to_clock(lock)
  end
  entry.alive = lock.now + ENTRY_US
  write_entry(lock, entry)
end

-- If a reservation lasts too long, its token is ahead of the clock.
local function clamp_reservations(lock)
  local ends = math.max(lock.owner and lock.lease_end or 0, lock.shared > 0 and lock.shared_end or 0)
  if lock.reserved > 0 and lock.token > lock.now and is_implausible(lock, ends) then
    clamp_to_clock(lock)
  end
end

-- Drops expired holders; returns the entries that are in the queue again.
local function drop_expired(lock)
  local lapsed = {}
  clamp_reservations(lock)
  if lock.owner and lock.now >= lock.lease_end then
    lapse(lock, lock.owner, lapsed)
    lock.owner = nil
  end
  if lock.shared > 0 and lock.now >= lock.shared_min then
    drop_expired_shared(lock, lapsed)
  end
  return lapsed
end

-- The tickets of all entries from the given one on, in order.
local function tickets_from(lock, first)
  local tickets = {}
  for _, field in ipairs(call('HKEYS', lock.key)) do
    local ticket = tonumber(string.match(field, '^ticket:(%d+)$'))
    if ticket and ticket >= first then
      tickets[#tickets + 1] = ticket
    end
  end
  table.sort(tickets)
  return tickets
end

-- Reserves the lock for the head of the queue, as long as the head can hold it together with the current holders. Behind an entry that
-- is kept for a long time, there may be any number of tickets whose entries were given up; these are not read one by one.
local function advance(lock)
  local gap, at, tickets = 0, 0, nil
  while lock.entries > 0 and lock.head <= lock.tail do
    local entry = entry_at(lock, lock.head)
    if entry and is_implausible(lock, entry.alive) then
      clamp_to_clock(lock)
      entry = entry_at(lock, lock.head)
    end
    if entry and not entry.reserved then
      if entry.alive <= lock.now then
        drop_entry(lock, entry)
      elseif compatible(lock, entry.limit, entry.weight) then
        reserve(lock, entry)
      else
        return
      end
    end
    gap = entry and 0 or gap + 1
    if gap > LONG_GAP and not tickets then
      at, tickets = 0, tickets_from(lock, lock.head + 1)
    end
    at = at + 1
    lock.head = tickets and (tickets[at] or lock.tail + 1) or lock.head + 1
  end
end

-- Entries whose reservations have lapsed are passed over once, and keep their places. Behind the last ticket nobody waits: entries that
-- are still counted have lost their fields, and would block the lock.
local function settle(lock)
  local lapsed = drop_expired(lock)
  advance(lock)
  for _, entry in ipairs(lapsed) do
    lock.head = math.min(lock.head, entry.ticket)
  end
  if #lapsed > 0 then
    advance(lock)
  end
  if lock.head > lock.tail then
    lock.entries, lock.fair = 0, 0
  end
end

-- The longest time that the caller should wait before it calls again, in us.
local function blocked_us(lock)
  if lock.owner then
    return math.max(0, lock.lease_end - lock.now)
  end
  return lock.shared > 0 and math.max(0, lock.shared_min - lock.now) or 0
end

-- How many tokens the exclusive holder reserved, and where it comes from.
local function reserved_tokens(lock)
  local holder = get(lock, 'holder') or ''
  local tokens, where = string.match(holder, '^(%d+)\n([^\n]*\n[^\n]*\n.*)$')
  return tonumber(tokens or 1), where or holder
end

-- The exclusive holder did not use its tokens after the given last one, which is 0 if all count as used. No token from before its grant
-- is given back, since others may have had later tokens than it used if the grant arrived late; nor are the first tokens of the grant
-- that it keeps.
local function give_back_tokens(lock, last, kept)
  if last ~= '0' then
    set_token(lock, math.max(tonumber(last), lock.token - reserved_tokens(lock) + kept))
  end
end
