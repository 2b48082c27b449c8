-- Copyright 2026 The toolvet authors
-- SPDX-License-Identifier: Apache-2.0

-- Frees slots.
--
-- KEYS: a sorted set for each slot.
-- ARGV: the ticket of each.

for i, slots in ipairs(KEYS) do
	redis.call('ZREM', slots, ARGV[i])
end
return {}
