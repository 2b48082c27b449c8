-- Copyright 2026 The toolvet authors
-- SPDX-License-Identifier: Apache-2.0

-- Gives back what a ticket spent. See restore in limit/account.go.
--
-- KEYS: as those of take.lua.
-- ARGV: the ticket; the time, "" for that of Redis; then for each claim: interval,
--       quota, and tat, given and end as they were after the call.

local clock = redis.call('TIME')
local now = clock[1] * 1000000 + clock[2]
if ARGV[2] ~= '' then now = tonumber(ARGV[2]) end

local function exact(x) return string.format('%.0f', x) end

for i = 1, #KEYS / 2 do
	local hash, a = KEYS[2 * i - 1], 5 * i - 3
	local interval, quota = tonumber(ARGV[a + 1]), tonumber(ARGV[a + 2])
	local after, given, ends = tonumber(ARGV[a + 3]), tonumber(ARGV[a + 4]), ARGV[a + 5]
	redis.call('ZREM', KEYS[2 * i], ARGV[1])
	local h = redis.call('HMGET', hash, 'tat', 'given', 'end', 'used')
	if h[1] then -- else all has come back by itself
		if interval > 0 then
			local tat, total = tonumber(h[1]), tonumber(h[2])
			local own = after - (total - given)
			local back = math.max(math.min(interval, math.min(own, tat) - now), 0)
			if own ~= tat then total = total + back end
			redis.call('HSET', hash, 'tat', exact(tat - back), 'given', exact(total))
		end
		if quota > 0 and h[3] == ends and tonumber(h[4]) > 0 then
			redis.call('HINCRBY', hash, 'used', -1)
		end
	end
end
return {}
