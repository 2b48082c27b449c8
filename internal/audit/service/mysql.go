// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package service

import (
	"encoding/binary"
	"strconv"
	"strings"
)

// Capabilities of MySQL's protocol 4.1.
const (
	mysqlTLS = 0x0800
	// mysqlCan: long passwords, found rows, long flags, a database to begin with, protocol 4.1, TLS, transactions, secure connections, several
	// statements and results, names of ways to log in.
	mysqlCan = 0x1 | 0x2 | 0x4 | 0x8 | 0x200 | mysqlTLS | 0x2000 | 0x8000 | 0x10000 | 0x20000 | 0x40000 | 0x80000
)

// Types of columns.
const (
	mysqlLong = 8    // 8 bytes
	mysqlText = 0xfd // with its length
)

// A mysqlSession is a connection of a client of MySQL.
type mysqlSession struct {
	*visit
	number   byte // of the next packet
	prepared map[uint32]Statement
	next     uint32
}

// mysql takes any login, and answers queries and prepared statements.
func (v *visit) mysql() error {
	s := &mysqlSession{visit: v, prepared: map[uint32]Statement{}}
	can := uint32(mysqlCan)
	if v.server.TLS == nil {
		can &^= mysqlTLS
	}
	hello := append([]byte{10}, "8.4.0\x00"...)
	hello = append(hello, 1, 0, 0, 0)
	hello = append(hello, "auditaud\x00"...)
	hello = binary.LittleEndian.AppendUint16(hello, uint16(can))
	hello = append(hello, 45, 2, 0) // utf8mb4, and each statement is a transaction
	hello = binary.LittleEndian.AppendUint16(hello, uint16(can>>16))
	hello = append(append(hello, 21), make([]byte, 10)...)
	hello = append(hello, "itauditaudit\x00mysql_native_password\x00"...)
	if err := s.send(hello); err != nil {
		return err
	}
	login, err := s.packet()
	if err != nil {
		return err
	}
	if len(login) == 32 && binary.LittleEndian.Uint32(login)&mysqlTLS != 0 {
		if err := v.secure(); err != nil {
			return err
		}
		if _, err = s.packet(); err != nil {
			return err
		}
	}
	if err := s.done(); err != nil {
		return err
	}
	for {
		s.number = 0
		s.free(&s.current)
		command, err := s.packet()
		if err != nil {
			return err
		}
		if len(command) == 0 || command[0] == 1 { // COM_QUIT
			return nil
		}
		if err := s.handle(command[0], command[1:]); err != nil {
			return err
		}
	}
}

func (s *mysqlSession) handle(command byte, body []byte) error {
	switch command {
	case 3: // COM_QUERY
		statement := Statement{MySQL, string(body)}
		s.record(MySQL, statement.Text)
		return s.answer(statement, false)
	case 22: // COM_STMT_PREPARE
		statement := Statement{MySQL, string(body)}
		s.record(MySQL, statement.Text)
		return s.prepare(statement)
	case 23: // COM_STMT_EXECUTE
		if len(body) < 4 {
			return s.done()
		}
		return s.answer(s.prepared[binary.LittleEndian.Uint32(body)], true)
	case 25: // COM_STMT_CLOSE has no answer
		if len(body) >= 4 {
			id := binary.LittleEndian.Uint32(body)
			s.release(&s.kept, len(s.prepared[id].Text))
			delete(s.prepared, id)
		}
		return nil
	case 24: // COM_STMT_SEND_LONG_DATA has none either
		return nil
	case 4: // COM_FIELD_LIST
		return s.end()
	}
	return s.done() // COM_PING, COM_INIT_DB, COM_RESET_CONNECTION and others
}

// packet reads a packet.
func (s *mysqlSession) packet() ([]byte, error) {
	head, err := s.take(4)
	if err != nil {
		return nil, err
	}
	s.number = head[3] + 1
	return s.take(int(head[0]) | int(head[1])<<8 | int(head[2])<<16)
}

// send writes packets.
func (s *mysqlSession) send(packets ...[]byte) error {
	var b strings.Builder
	for _, p := range packets {
		b.Write([]byte{byte(len(p)), byte(len(p) >> 8), byte(len(p) >> 16), s.number})
		b.Write(p)
		s.number++
	}
	return s.say(b.String())
}

// done says that a command has worked.
func (s *mysqlSession) done() error { return s.send([]byte{0, 1, 1, 2, 0, 0, 0}) }

// mysqlEnd is the end of a list.
var mysqlEnd = []byte{0xfe, 0, 0, 2, 0}

func (s *mysqlSession) end() error { return s.send(mysqlEnd) }

// answer writes the outcome of a statement.
func (s *mysqlSession) answer(statement Statement, inBinary bool) error {
	o := statement.answer()
	if o.columns == nil {
		return s.done()
	}
	packets := append([][]byte{{byte(len(o.columns))}}, definitions(o.columns)...)

	var row []byte
	if inBinary {
		row = append(row, make([]byte, 1+(len(o.columns)+7+2)/8)...)
	}
	for _, c := range o.columns {
		n, err := strconv.ParseInt(c.value, 10, 64)
		if inBinary && c.number && err == nil {
			row = binary.LittleEndian.AppendUint64(row, uint64(n))
		} else {
			row = append(row, mysqlBytes(c.value)...)
		}
	}
	return s.send(append(packets, row, mysqlEnd)...)
}

// definitions are the packets of columns, with the end of their list.
func definitions(columns []column) [][]byte {
	var list [][]byte
	for _, c := range columns {
		kind := byte(mysqlText)
		if c.number {
			kind = mysqlLong
		}
		var p []byte
		for _, text := range []string{"def", "audit", "audit", "audit", c.name, c.name} {
			p = append(p, mysqlBytes(text)...)
		}
		p = append(p, 0x0c, 45, 0, 255, 0, 0, 0, kind, 0, 0, 0, 0, 0)
		list = append(list, p)
	}
	if list == nil {
		return nil
	}
	return append(list, mysqlEnd)
}

// mysqlBytes is a text with its length before it.
func mysqlBytes(text string) []byte {
	if len(text) < 251 {
		return append([]byte{byte(len(text))}, text...)
	}
	return append(binary.LittleEndian.AppendUint16([]byte{0xfc}, uint16(min(len(text), 0xffff))), text[:min(len(text), 0xffff)]...)
}

// prepare answers with the number of parameters and columns of a statement.
func (s *mysqlSession) prepare(statement Statement) error {
	if s.next++; len(s.prepared) < maxPrepared && s.hold(&s.kept, len(statement.Text)) {
		s.prepared[s.next] = statement
	}
	parameters := make([]column, min(strings.Count(statement.head().Outside(), "?"), 0xffff))
	for i := range parameters {
		parameters[i].name = "?"
	}
	o := statement.answer()
	head := binary.LittleEndian.AppendUint32([]byte{0}, s.next)
	head = binary.LittleEndian.AppendUint16(head, uint16(len(o.columns)))
	head = binary.LittleEndian.AppendUint16(head, uint16(len(parameters)))
	packets := append([][]byte{append(head, 0, 0, 0)}, definitions(parameters)...)
	return s.send(append(packets, definitions(o.columns)...)...)
}
