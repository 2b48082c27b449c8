-- Copyright 2026 The toolvet authors
-- SPDX-License-Identifier: Apache-2.0

-- Spends one call with each claim, or nothing. What is left is told in any case.
--
-- KEYS: two for each claim, a hash (tat, given, end, used) and a sorted set (ticket → end of
--       its lease).
-- ARGV: 1 to spend, 0 to look; the ticket; the lease; the time, "" for that of Redis;
--       then for each claim: interval, burst, quota, start and end of its window, concurrency.
-- Returns the time, 1 if each claim has a call left or 0, and for each claim: calls of the
--       rate, wait, calls of the quota, wait, free slots; and tat, given and end after it.
--       Only the time if it lies in another window than the caller thinks.
--
-- Times are in microseconds. They and what is added to them stay below 2^53, so that Lua's
-- numbers are exact; tostring is not, hence the formats. limit/account.go has the same in Go.

local clock = redis.call('TIME')
local now = clock[1] * 1000000 + clock[2]
if ARGV[4] ~= '' then now = tonumber(ARGV[4]) end
local lease = tonumber(ARGV[3])

local function exact(x) return string.format('%.0f', x) end
local function number(x) return tonumber(x or '0') end

local claims, passes = {}, 1
for i = 1, #KEYS / 2 do
	local a = 6 * i - 2
	local c = {
		interval = tonumber(ARGV[a + 1]), burst = tonumber(ARGV[a + 2]),
		quota = tonumber(ARGV[a + 3]), from = tonumber(ARGV[a + 4]), till = tonumber(ARGV[a + 5]),
		concurrency = tonumber(ARGV[a + 6]),
		left = 0, wait = 0, rest = 0, reset = 0, free = 0,
	}
	if c.quota > 0 and (now < c.from or now >= c.till) then return {now} end
	local h = redis.call('HMGET', KEYS[2 * i - 1], 'tat', 'given', 'end', 'used')
	c.tat, c.given, c.ends, c.used = number(h[1]), number(h[2]), number(h[3]), number(h[4])
	local tat, ends = c.tat, c.ends
	if c.interval > 0 then
		local refill = c.interval * c.burst
		c.tat = math.min(c.tat, now + refill)
		local free = now + refill - math.max(c.tat, now)
		c.left = math.floor(free / c.interval)
		if c.left == 0 then c.wait, passes = c.interval - free, 0 end
	end
	if c.quota > 0 then
		if now >= c.ends then
			c.used, c.ends = 0, c.till
		elseif c.ends - c.till > c.till - c.from then
			c.ends = c.till
		end
		c.rest = math.max(c.quota - c.used, 0)
		if c.rest == 0 then c.reset, passes = c.ends - now, 0 end
	end
	if c.concurrency > 0 then
		c.free = math.max(c.concurrency - redis.call('ZCOUNT', KEYS[2 * i], '(' .. exact(now), '+inf'), 0)
		if c.free == 0 then passes = 0 end
	end
	c.nearer = c.tat < tat or c.ends < ends
	claims[i] = c
end

local function spend(c, hash, slots)
	if c.interval > 0 then c.tat = math.max(c.tat, now) + c.interval end
	if c.quota > 0 then c.used = c.used + 1 end
	if c.interval > 0 or c.quota > 0 then
		redis.call('HSET', hash, 'tat', exact(c.tat), 'given', exact(c.given), 'end', exact(c.ends), 'used', exact(c.used))
		redis.call('PEXPIRE', hash, exact(math.ceil((math.max(c.tat, c.ends) - now) / 1000) + 1000))
	end
	if c.concurrency > 0 then
		redis.call('ZREMRANGEBYSCORE', slots, '-inf', exact(now))
		redis.call('ZADD', slots, exact(now + lease), ARGV[2])
		redis.call('PEXPIRE', slots, exact(math.ceil(lease / 1000) + 1000))
	end
end

local reply = {now, passes}
for i, c in ipairs(claims) do
	if ARGV[1] == '1' and passes == 1 then
		spend(c, KEYS[2 * i - 1], KEYS[2 * i])
	elseif ARGV[1] == '1' and c.nearer then -- a time that was too far away comes nearer from now on
		redis.call('HSET', KEYS[2 * i - 1], 'tat', exact(c.tat), 'end', exact(c.ends))
	end
	for _, v in ipairs({c.left, c.wait, c.rest, c.reset, c.free, c.tat, c.given, c.ends}) do
		reply[#reply + 1] = v
	end
end
return reply
