-- Looks at a lock; writes nothing.
-- KEYS  1 the lock
-- returns {last token, waiters}, and if somebody holds it {…, remaining in us, owner, holder, since in us, token}
local fields = redis.call('HGETALL', KEYS[1])
local now, lock, waiters = now_us(), {}, 0
for i = 1, #fields, 2 do
  lock[fields[i]] = fields[i + 1]
  if string.sub(fields[i], 1, 5) == 'seat:' and now < tonumber(fields[i + 1]) then
    waiters = waiters + 1
  end
end
local token = tonumber(lock.token or 0)
if lock.owner and now < tonumber(lock.lease_end) then
  return {token, waiters, lock.lease_end - now, lock.owner, lock.holder, tonumber(lock.since), token}
end
return {token, waiters}
