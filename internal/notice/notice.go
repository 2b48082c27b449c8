// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package notice has the level of log lines for which an operator waits.
package notice

import "log/slog"

// Level is the level of a line that an operator without the flag --verbose sees as well: it says how something ended that the
// log has warned of, or that a change of the operator's own has arrived. In toolvet's own log it reads INFO.
const Level = slog.LevelInfo + 1
