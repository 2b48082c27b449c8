-- Copyright 2026 The toolvet authors
-- SPDX-License-Identifier: Apache-2.0

-- Renews the leases of slots, also of those that Redis has lost: their calls still run.
--
-- KEYS: a sorted set for each slot.
-- ARGV: the lease in microseconds; the time, "" for that of Redis; then the ticket of each slot.

local clock = redis.call('TIME')
local now = clock[1] * 1000000 + clock[2]
if ARGV[2] ~= '' then now = tonumber(ARGV[2]) end
local lease = tonumber(ARGV[1])

for i, slots in ipairs(KEYS) do
	redis.call('ZADD', slots, string.format('%.0f', now + lease), ARGV[i + 2])
	redis.call('PEXPIRE', slots, math.ceil(lease / 1000) + 1000)
end
return {}
