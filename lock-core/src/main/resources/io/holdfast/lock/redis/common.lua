-- Shared by all scripts: the layout, and functions that read one lock at the beginning and write it at the end. Each script returns one
-- text: drivers convert nothing else in the same way, and Redis sends it with less effort than a list.
-- One lock is one hash:
--   owner          OwnerId of the exclusive holder, if there is no crowd; with '-' in front: it was released, and is kept for its
--                  minimum time. So an owner that finds itself there may delete the field, and need not read anything else
--   lease_end      when its lease ends
--   holder         host, pid, thread, one per line, for people; and before them, if more than one token was reserved for the holder,
--                  how many
--   token          the last fencing token that was granted or reserved
--   crowd          only while there are entries, shared holders or cancelled acquisitions: first ticket, last ticket, entries in the
--                  queue, fair ones among them, ticket that was swept last, reservations, latest end of a cancelled acquisition, owner
--                  or a dot; and if there are shared holders, the sum of their weights, earliest and latest end of their leases; the
--                  earliest may be out of date, but is never too late
--   ticket:<n>     an entry: OwnerId, limit (0 exclusive) and weight, fair (0 or 1), until when it counts as alive, how many tokens it
--                  requests, whether the lock is reserved for it (0 or 1); host, pid, thread, one per line
--   seat:<owner>   the ticket of its entry
--   shared:<owner> end of the lease, token and weight; host, pid, thread, one per line
--   reader         OwnerId of the shared holder that was granted the lock last
--   grave:<owner>  a cancelled acquisition: until when it is refused
--   prune_at       when to look for cancelled acquisitions that have expired
--   behind         how many callers wait behind the exclusive holder within its client, as last reported: its OwnerId, how many, and
--                  since when the first of them waits. May be left over from former holders
--   data           the greatest fencing token that has read or written the data of the lock as its holder, and the number of its last
--                  write; see data.lua
--   behind:<n>     the same for the entry with that ticket, without its OwnerId: since when the entry waits
-- A weight is how much of the limit a shared holder takes. Unless it is 1, it is written after the preceding number and a slash.
-- A reservation is a hold whose owner has an entry: if it ends before its owner has called, the entry still has its place. lease_end,
-- holder and reader may be left over from former holders. Times are those of Redis' clock, in microseconds. In texts they are formatted
-- with '%d': Lua itself would write them in scientific notation.
-- This is layout 1. Scripts of several versions work on the same locks, so a field never changes its meaning or its form; new
-- information gets a new field, and unknown fields are left alone. A layout for which this is not enough begins the crowd of each lock
-- that is held or waited for with its number and a slash: scripts that do not know it refuse the lock. Layout 1 needs no number for that:
-- its crowd begins with a number and a space, and a lock without crowd is one of layout 1, or free. So a later layout writes a crowd even
-- for a single holder, has no owner, and leaves of a lock that is free no crowd, and the token as it is here.

local call = redis.call
local ENTRY_US = 3400000
-- Whether servers can publish in the slot of a lock; clients send the scripts with true to those that can.
local SHARDED = false

local function now_us()
  local time = call('TIME')
  return time[1] * 1000000 + time[2]
end

-- Reports the layout of a lock that cannot be read, or, if that is unknown, what was read.
local function refuse(key, crowd)
  local layout = string.match(crowd, '^(%d+)/')
  error('LAYOUT ' .. (layout or 'unknown') .. ' of lock ' .. key
    .. (layout and '' or ": its crowd is '" .. string.sub(crowd, 1, 100) .. "'"))
end

-- A lock, read from owner, lease_end, token and crowd. close() writes the changes.
local function open(key, now, retention_ms, fields)
  local crowd = fields[4] or '1 0 0 0 0 0 0 .'
  local head, tail, entries, fair, sweep, reserved, graves_end, owner, rest =
    string.match(crowd, '^(%d+) (%d+) (%d+) (%d+) (%d+) (%d+) (%d+) (%S+)(.*)$')
  if not owner then
    refuse(key, crowd)
  end
  if owner == '.' then
    owner = fields[1] or nil
  end
  local lock = {key = key, now = now, retention_ms = retention_ms, writes = {}, news = {}, owner = owner, alone = fields[1],
    lease_end = tonumber(fields[2] or 0), token = tonumber(fields[3] or 0), crowd = fields[4],
    behind = fields[5],
    head = tonumber(head), tail = tonumber(tail), entries = tonumber(entries), fair = tonumber(fair),
    sweep = tonumber(sweep), reserved = tonumber(reserved), graves_end = tonumber(graves_end),
    shared = 0, shared_min = 0, shared_end = 0}
  if rest ~= '' then
    local shared, shared_min, shared_end = string.match(rest, '^ (%d+) (%d+) (%d+)$')
    if not shared then
      refuse(key, crowd)
    end
    lock.shared, lock.shared_min, lock.shared_end = tonumber(shared), tonumber(shared_min), tonumber(shared_end)
  end
  return lock
end

local function load(key, now, retention_ms)
  return open(key, now, retention_ms, call('HMGET', key, 'owner', 'lease_end', 'token', 'crowd', 'behind'))
end

local function get(lock, field)
  local value = lock.writes[field]
  if value == nil then
    value = call('HGET', lock.key, field)
  end
  return value
end

-- A value of false deletes the field.
local function put(lock, field, value)
  lock.writes[field] = value
end

local function with_weight(number, weight)
  return string.format(weight == 1 and '%d' or '%d/%d', number, weight)
end

local function drop_graves(lock)
  local fields = call('HGETALL', lock.key)
  for i = 1, #fields, 2 do
    if string.sub(fields[i], 1, 6) == 'grave:' and tonumber(fields[i + 1]) <= lock.now then
      put(lock, fields[i], false)
    end
  end
end

-- Which callers wait, apart from those for whom the lock is reserved: 0 none, 1 at least one, 2 at least one fair.
local function waiters(lock)
  return lock.entries == 0 and 0 or lock.fair > 0 and 2 or 1
end

local function write_crowd(lock)
  if lock.graves_end > 0 and lock.graves_end <= lock.now then
    drop_graves(lock)
    lock.graves_end = 0
  end
  local crowd = false
  if lock.entries > 0 or lock.shared > 0 or lock.reserved > 0 or lock.graves_end > 0 then
    crowd = string.format('%d %d %d %d %d %d %d %s', lock.head, lock.tail, lock.entries, lock.fair, lock.sweep,
      lock.reserved, lock.graves_end, lock.owner or '.')
    if lock.shared > 0 then
      crowd = crowd .. string.format(' %d %d %d', lock.shared, lock.shared_min, lock.shared_end)
    end
  end
  if crowd ~= lock.crowd then
    put(lock, 'crowd', crowd)
  end
  local alone = not crowd and lock.owner or false
  if alone ~= lock.alone then
    put(lock, 'owner', alone)
  end
end

-- The key expires at the latest end in it, plus the retention of the token.
local function expire(lock)
  local last = lock.owner and lock.lease_end or 0
  if lock.entries > 0 or lock.reserved > 0 then
    last = math.max(last, lock.now + ENTRY_US)
  end
  if lock.shared > 0 then
    last = math.max(last, lock.shared_end)
  end
  last = math.max(last, lock.graves_end)
  call('PEXPIRE', lock.key, math.max(0, math.ceil((last - lock.now) / 1000)) + lock.retention_ms)
end

-- In pieces, because Lua limits the number of arguments.
local function write(key, command, arguments)
  for i = 1, #arguments, 1000 do
    call(command, key, unpack(arguments, i, math.min(i + 999, #arguments)))
  end
end

-- A client that has subscribed on this server to its channel in the slot of the lock gets the message there, and no other server has to
-- pass it on. Otherwise the servers of a cluster pass it on to each other, until it gets to the one where the client has subscribed.
local function publish(news, text)
  local receivers = SHARDED and redis.pcall('SPUBLISH', news.slot_channel, text)
  if type(receivers) ~= 'number' or receivers == 0 then
    redis.pcall('PUBLISH', news.channel, text)
  end
end

local function close(lock)
  write_crowd(lock)
  local sets, deletes = {}, {}
  for field, value in pairs(lock.writes) do
    if value then
      sets[#sets + 1] = field
      sets[#sets + 1] = value
    else
      deletes[#deletes + 1] = field
    end
  end
  write(lock.key, 'HDEL', deletes)
  write(lock.key, 'HSET', sets)
  expire(lock)
  local who_waits = waiters(lock)
  for _, news in ipairs(lock.news) do
    publish(news, news.text .. ' ' .. who_waits)
  end
end

-- The error that pcall returned, on one line.
local function failure(reply)
  return (string.gsub(type(reply) == 'table' and reply.err or tostring(reply), '%c', ' '))
end

-- Notifies a client, at the end. Its channels are named after the prefix of all keys and the first part of its OwnerIds; that in the slot
-- of the lock, after the lock, too. An OwnerId that something else has written belongs to no client.
local function notify(lock, owner, word, rest)
  local client, sequence = string.match(owner, '^([^:]*):(%d+)$')
  local keys, tag = string.match(lock.key, '^(.-):({.*)$')
  if client then
    lock.news[#lock.news + 1] = {channel = keys .. ':wake:' .. client, slot_channel = keys .. ':wake:' .. tag .. ':' .. client,
      text = word .. ' ' .. sequence .. rest}
  end
end
