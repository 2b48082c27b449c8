// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package pin

import (
	"strconv"
	"strings"
)

// appendNumber writes a JSON number by its exact value, laid out as ECMAScript does
// (Number::toString, as RFC 8785 wants it). For a number with no more digits than tell
// doubles apart, this is what RFC 8785 writes.
func appendNumber(b []byte, text string) []byte {
	digits, point := decimal(text)
	if digits == "" {
		return append(b, '0')
	}
	if text[0] == '-' {
		b = append(b, '-')
	}
	k := len(digits)
	switch {
	case k <= point && point <= 21:
		b = append(b, digits...)
		return append(b, strings.Repeat("0", point-k)...)
	case 0 < point && point <= 21:
		b = append(b, digits[:point]...)
		b = append(b, '.')
		return append(b, digits[point:]...)
	case -6 < point && point <= 0:
		b = append(b, "0."...)
		b = append(b, strings.Repeat("0", -point)...)
		return append(b, digits...)
	}
	b = append(b, digits[0])
	if k > 1 {
		b = append(b, '.')
		b = append(b, digits[1:]...)
	}
	b = append(b, 'e')
	if point > 0 {
		b = append(b, '+')
	}
	return strconv.AppendInt(b, int64(point-1), 10)
}

// decimal returns the digits of a number, without zeros at their ends, and where the point
// stands: the number is 0.digits × 10^point. No digits: it is zero.
func decimal(text string) (digits string, point int) {
	text = strings.TrimPrefix(text, "-")
	mantissa, exponent := text, "0"
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		mantissa, exponent = text[:i], text[i+1:]
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits = strings.TrimLeft(whole+fraction, "0")
	leading := len(whole) + len(fraction) - len(digits)
	if digits = strings.TrimRight(digits, "0"); digits == "" {
		return "", 0
	}
	e, _ := strconv.Atoi(exponent) // strictjson has refused what is beyond a double
	return digits, len(whole) - leading + e
}
