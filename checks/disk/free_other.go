// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

//go:build !linux && !darwin

package disk

import "errors"

// free is not known here.
func free(string) (int64, error) { return 0, errors.ErrUnsupported }
