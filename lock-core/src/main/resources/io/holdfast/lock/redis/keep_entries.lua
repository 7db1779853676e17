-- Keeps the entries of one client alive, and returns which of its waiters should request their locks now. A broken or foreign key fails
-- individually.
-- KEYS  the locks
-- ARGV  1 token retention in ms, then for each lock: how many entries; for each of them its owner, which may be followed by how many
--         callers wait behind it within the client, and for how long it has waited, in us
-- returns now in us; then a line for each lock: blocked for us, the numbers, from 1, of the owners that are called; or ERROR and the
--         reason
-- include common
-- include queue
local now, retention_ms = now_us(), tonumber(ARGV[1])

local function keep_entries(key, from, count)
  local lock = load(key, now, retention_ms)
  local owners = {}
  for i = 1, count do
    local owner, callers, waited = string.match(ARGV[from + i], '^(%S+) ?(%d*) ?(%d*)$')
    local entry = entry_of(lock, owner)
    if entry then
      keep(lock, entry)
    end
    if entry and callers ~= '' then
      put(lock, 'behind:' .. entry.ticket, string.format('%d %d', callers, now - waited))
    end
    owners[i] = owner
  end
  settle(lock)
  local reply = string.format('%d', blocked_us(lock))
  for i = 1, count do
    local entry = entry_of(lock, owners[i])
    if not entry or entry.reserved then
      reply = reply .. ' ' .. i
    end
  end
  if lock.token > 0 then
    expire(lock)
    close(lock)
  end
  return reply
end

local lines, from = {string.format('%d', now)}, 2
for _, key in ipairs(KEYS) do
  local count = tonumber(ARGV[from])
  local ok, reply = pcall(keep_entries, key, from, count)
  lines[#lines + 1] = ok and reply or 'ERROR ' .. failure(reply)
  from = from + count + 1
end
return table.concat(lines, '\n')
