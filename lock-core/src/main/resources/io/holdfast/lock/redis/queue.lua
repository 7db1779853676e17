-- Holders, queue, and the step that ends every change of them: settle().

local RESERVATION_US = 1500000
local LONG_GAP = 100

local function seat_at(lock, ticket)
  local record = get(lock, 'ticket:' .. ticket)
  if not record then
    return nil
  end
  local owner, limit, fair, alive, tokens, reserved, where =
    string.match(record, '^(%S+) (%d+) (%d) (%d+) (%d+) (%d)\n(.*)$')
  return {ticket = tonumber(ticket), owner = owner, limit = tonumber(limit), fair = tonumber(fair), alive = tonumber(alive),
    tokens = tonumber(tokens), reserved = reserved == '1', where = where}
end

local function seat_of(lock, owner)
  local ticket = (lock.seats > 0 or lock.reserved > 0) and get(lock, 'seat:' .. owner)
  return ticket and seat_at(lock, ticket)
end

local function write_seat(lock, seat)
  put(lock, 'ticket:' .. seat.ticket, string.format('%s %d %d %d %d %d\n%s', seat.owner, seat.limit, seat.fair,
    seat.alive, seat.tokens, seat.reserved and 1 or 0, seat.where))
end

local function enqueue(lock, seat)
  lock.seats, lock.fair = lock.seats + 1, lock.fair + seat.fair
end

local function dequeue(lock, seat)
  lock.seats, lock.fair = lock.seats - 1, lock.fair - seat.fair
end

local function drop_seat(lock, seat)
  put(lock, 'ticket:' .. seat.ticket, false)
  put(lock, 'seat:' .. seat.owner, false)
  if seat.reserved then
    lock.reserved = lock.reserved - 1
  else
    dequeue(lock, seat)
  end
end

-- The owner waits no more. Its seat is deleted at once: a script that begins so works when Redis is out of memory, see
-- release.lua.
local function give_up_seat(lock, owner)
  local seat = seat_of(lock, owner)
  call('HDEL', lock.key, 'seat:' .. owner)
  if seat then
    drop_seat(lock, seat)
  end
end

-- The owner was heard of: it holds the lock for good, and needs its seat no more.
local function confirm(lock, owner)
  local seat = lock.reserved > 0 and seat_of(lock, owner)
  if seat then
    drop_seat(lock, seat)
  end
end

local function compatible(lock, limit)
  return not lock.owner and (limit == 0 and lock.shared == 0 or lock.shared < limit)
end

local function add_shared(lock, lease_end)
  lock.shared_min = lock.shared == 0 and lease_end or math.min(lock.shared_min, lease_end)
  lock.shared_end = lock.shared == 0 and lease_end or math.max(lock.shared_end, lease_end)
  lock.shared = lock.shared + 1
end

local function write_shared(lock, owner, hold)
  put(lock, 'shared:' .. owner, string.format('%d %d\n%s', hold.lease_end, hold.token, hold.where))
end

local function set_token(lock, last)
  lock.token = last
  put(lock, 'token', string.format('%d', last))
end

-- Makes an owner a holder; returns the first of its tokens.
local function grant(lock, owner, limit, lease_end, tokens, where, least)
  local token = math.max(lock.token + 1, lock.now, least or 0)
  set_token(lock, limit == 0 and token + tokens - 1 or token)
  if limit == 0 then
    lock.owner, lock.lease_end = owner, lease_end
    put(lock, 'lease_end', string.format('%d', lease_end))
    put(lock, 'holder', tokens > 1 and tokens .. '\n' .. where or where)
  else
    add_shared(lock, lease_end)
    put(lock, 'reader', owner)
    write_shared(lock, owner, {lease_end = lease_end, token = token, where = where})
  end
  return token
end

-- A reservation never outlives the seat: dead waiters in a row hold up others for one seat time-out together.
local function reserve(lock, seat)
  local lease_end = math.min(lock.now + RESERVATION_US, seat.alive)
  local token = grant(lock, seat.owner, seat.limit, lease_end, seat.tokens, seat.where)
  dequeue(lock, seat)
  lock.reserved = lock.reserved + 1
  seat.reserved = true
  write_seat(lock, seat)
  tell(lock, seat.owner, 'granted', string.format(' %d %d %d %d', token, seat.tokens, lock.now, lease_end))
end

-- A hold has ended. If it was a reservation, the seat is in the queue again, if it is alive.
local function lapse(lock, owner, lapsed)
  local seat = lock.reserved > 0 and seat_of(lock, owner)
  if seat and seat.alive > lock.now then
    seat.reserved = false
    enqueue(lock, seat)
    lock.reserved = lock.reserved - 1
    write_seat(lock, seat)
    lapsed[#lapsed + 1] = seat
  elseif seat then
    drop_seat(lock, seat)
  end
end

-- Counts anew; what this script has changed already is not in the hash yet.
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
      local lease_end = tonumber(string.match(record, '^(%d+)'))
      if lease_end > lock.now then
        add_shared(lock, lease_end)
      else
        put(lock, fields[i], false)
        lapse(lock, owner, lapsed)
      end
    end
  end
end

-- Drops holders whose time has come; returns the seats that are in the queue again.
local function drop_expired(lock)
  local lapsed = {}
  if lock.owner and lock.now >= lock.lease_end then
    lapse(lock, lock.owner, lapsed)
    lock.owner = nil
  end
  if lock.shared > 0 and lock.now >= lock.shared_min then
    drop_expired_shared(lock, lapsed)
  end
  return lapsed
end

-- The tickets of all seats from one on, in their order.
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

-- Reserves the lock for the head of the queue, as long as it may hold it together with those who do. Behind a seat that is
-- kept for long there may be any number of tickets whose seats were given up; they are not looked at one by one.
local function advance(lock)
  local gap, at, tickets = 0, 0, nil
  while lock.seats > 0 and lock.head <= lock.tail do
    local seat = seat_at(lock, lock.head)
    if seat and not seat.reserved then
      if seat.alive <= lock.now then
        drop_seat(lock, seat)
      elseif compatible(lock, seat.limit) then
        reserve(lock, seat)
      else
        return
      end
    end
    gap = seat and 0 or gap + 1
    if gap > LONG_GAP and not tickets then
      at, tickets = 0, tickets_from(lock, lock.head + 1)
    end
    at = at + 1
    lock.head = tickets and (tickets[at] or lock.tail + 1) or lock.head + 1
  end
end

-- Seats whose reservation lapsed are passed once, and keep their places.
local function settle(lock)
  local lapsed = drop_expired(lock)
  advance(lock)
  for _, seat in ipairs(lapsed) do
    lock.head = math.min(lock.head, seat.ticket)
  end
  if #lapsed > 0 then
    advance(lock)
  end
end

-- The shared holder's record, or nil.
local function shared_hold(lock, owner)
  local record = lock.shared > 0 and get(lock, 'shared:' .. owner)
  if not record then
    return nil
  end
  local lease_end, token, where = string.match(record, '^(%d+) (%d+)\n(.*)$')
  return {lease_end = tonumber(lease_end), token = tonumber(token), where = where}
end

-- When the caller should ask again at the latest, in us from now.
local function blocked_us(lock)
  if lock.owner then
    return math.max(0, lock.lease_end - lock.now)
  end
  return lock.shared > 0 and math.max(0, lock.shared_min - lock.now) or 0
end

-- How many tokens the exclusive holder reserved, and where it is.
local function reserved_tokens(lock)
  local holder = get(lock, 'holder')
  local tokens, where = string.match(holder, '^(%d+)\n([^\n]*\n[^\n]*\n.*)$')
  return tonumber(tokens or 1), where or holder
end
