// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package schema

import "time"

// isDate accepts full-date of RFC 3339 §5.6.
func isDate(s string) bool {
	if len(s) != len(time.DateOnly) || !allDigits(s[:4]) {
		return false
	}
	_, err := time.Parse(time.DateOnly, s)
	return err == nil
}

// isDateTime accepts date-time of RFC 3339 §5.6.
func isDateTime(s string) bool {
	return len(s) > len(time.DateOnly) && (s[10] == 'T' || s[10] == 't') && isDate(s[:10]) && isTime(s[11:])
}

// isTime accepts full-time of RFC 3339 §5.6. A second of 60 is a leap second,
// which can only be the last of a UTC day (§5.7).
func isTime(s string) bool {
	if len(s) < len("00:00:00Z") || s[2] != ':' || s[5] != ':' {
		return false
	}
	hour, ok1 := twoDigits(s, 23)
	minute, ok2 := twoDigits(s[3:], 59)
	second, ok3 := twoDigits(s[6:], 60)
	if !ok1 || !ok2 || !ok3 {
		return false
	}
	offset, ok := offsetMinutes(skipFraction(s[8:]))
	if !ok {
		return false
	}
	const day = 24 * 60
	return second < 60 || (hour*60+minute-offset+day)%day == day-1
}

// skipFraction returns s without a leading time-secfrac.
func skipFraction(s string) string {
	if s == "" || s[0] != '.' {
		return s
	}
	i := 1
	for i < len(s) && '0' <= s[i] && s[i] <= '9' {
		i++
	}
	if i == 1 {
		return s // no digit: what follows is no offset either
	}
	return s[i:]
}

// offsetMinutes reads time-offset.
func offsetMinutes(s string) (int, bool) {
	if s == "Z" || s == "z" {
		return 0, true
	}
	if len(s) != len("+00:00") || s[3] != ':' || s[0] != '+' && s[0] != '-' {
		return 0, false
	}
	hours, ok1 := twoDigits(s[1:], 23)
	minutes, ok2 := twoDigits(s[4:], 59)
	offset := hours*60 + minutes
	if s[0] == '-' {
		offset = -offset
	}
	return offset, ok1 && ok2
}

// twoDigits reads the two digits at the start of s, a number up to limit.
func twoDigits(s string, limit int) (int, bool) {
	if len(s) < 2 || !allDigits(s[:2]) {
		return 0, false
	}
	n := int(s[0]-'0')*10 + int(s[1]-'0')
	return n, n <= limit
}
