// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package sqlstate

import "strconv"

// mysqlRefusal says why there is no connection (MySQL, server error reference).
func mysqlRefusal(number uint16) error {
	switch number {
	case 1045, 1698, 1251, 1275:
		return &unusable{"refuses the user or the password", "correct them in the policy's dsn"}
	case 1049:
		return &unusable{"has no database of the name in the dsn", "correct the name in the policy's dsn"}
	case 1044, 1142:
		return &unusable{"does not let the user of the dsn use the database", "grant SELECT on it to the user"}
	case 1040, 1203, 1226:
		return &unusable{"has no connection left", "raise its max_connections, or try again"}
	case 1129, 1130:
		return &unusable{"does not let this host connect", "allow the host for the user"}
	case 1053:
		return &unusable{"is shutting down", "try again"}
	}
	return &unusable{"refuses the question (error " + strconv.Itoa(int(number)) + ")", "look it up in the manual of the database"}
}

// mysqlFault puts an error number into words.
func mysqlFault(number uint16) (what, mend string) {
	switch number {
	case 1142, 1143, 1044, 1227, 1345, 1370:
		return "uses something without a privilege for the user of the dsn", "leave it out, or grant the privilege to the user of the tool"
	case 1305, 1630:
		return "calls a function that does not exist", "correct the name"
	case 1052:
		return "names a column of more than one table", "put the table's name before it"
	case 1055, 1140:
		return "uses a column that is neither grouped nor in an aggregate", "put it into GROUP BY or an aggregate"
	case 1049:
		return "names a database that does not exist", "correct the name"
	case 1046:
		return "names a table without its database, and the dsn names none", "put the database's name before it, or into the dsn"
	case 1066:
		return "gives two tables the same name", "give them different aliases"
	case 1222, 1241:
		return "has queries with different numbers of columns", "give each the same number"
	case 1582, 1318:
		return "calls a function with a wrong number of arguments", "correct the arguments"
	}
	return "is refused by the database (error " + strconv.Itoa(int(number)) + ")", "look the number up in the manual of the database"
}
