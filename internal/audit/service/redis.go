// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package service

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// redis answers RESP 2 and 3 from a map of texts.
func (v *visit) redis() error {
	for {
		v.free(&v.current)
		words, err := v.redisCommand()
		if err != nil {
			return err
		}
		if len(words) == 0 {
			continue
		}
		if err := v.say(v.server.redis(strings.ToUpper(words[0]), words[1:])); err != nil {
			return err
		}
		if strings.EqualFold(words[0], "QUIT") {
			return nil
		}
	}
}

// maxWords bounds the words of a command.
const maxWords = 10_000

// redisCommand reads a command: an array of texts, or a line of words.
func (v *visit) redisCommand() ([]string, error) {
	line, err := v.line()
	if err != nil {
		return nil, err
	}
	count, ok := strings.CutPrefix(line, "*")
	if !ok {
		return strings.Fields(line), nil
	}
	n, err := strconv.Atoi(count)
	if err != nil || n > maxWords {
		return nil, errors.New("no command")
	}
	var words []string
	size := 0
	for range n {
		line, err := v.line()
		if err != nil {
			return nil, err
		}
		length, err := strconv.Atoi(strings.TrimPrefix(line, "$"))
		if err != nil || length < 0 {
			return nil, errors.New("no text")
		}
		if size += length; size > maxMessage {
			return nil, errTooLong
		}
		word, err := v.take(length + len("\r\n"))
		if err != nil {
			return nil, err
		}
		words = append(words, string(word[:length]))
	}
	return words, nil
}

// Bounds of the map. Each connection may wait with an answer that has all of it.
const (
	maxKeys = 10_000
	maxSize = 1 << 20 // bytes of keys and values
)

// set keeps the value of a key, if there is room.
func (s *Server) set(key, value string) {
	s.unset(key)
	if size := len(key) + len(value); len(s.keys) < maxKeys && s.size+size <= maxSize {
		s.keys[key] = value
		s.size += size
	}
}

// unset removes a key.
func (s *Server) unset(key string) {
	if value, there := s.keys[key]; there {
		s.size -= len(key) + len(value)
		delete(s.keys, key)
	}
}

// redis answers one command.
func (s *Server) redis(name string, args []string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.keys == nil {
		s.keys = map[string]string{}
	}
	key := ""
	if len(args) > 0 {
		key = args[0]
	}
	value, there := s.keys[key]
	switch name {
	case "PING":
		return "+PONG\r\n"
	case "ECHO":
		return bulk(key)
	case "HELLO":
		return "*14\r\n" + bulk("server") + bulk("redis") + bulk("version") + bulk("7.4.0") + bulk("proto") + ":2\r\n" + bulk("id") + ":1\r\n" +
			bulk("mode") + bulk("standalone") + bulk("role") + bulk("master") + bulk("modules") + "*0\r\n"
	case "INFO":
		return bulk("# Server\r\nredis_version:7.4.0\r\nredis_mode:standalone\r\n# Persistence\r\nloading:0\r\n# Replication\r\nrole:master\r\n")
	case "SET", "SETNX", "GETSET":
		if len(args) > 1 {
			s.set(key, args[1])
		}
		return "+OK\r\n"
	case "SETEX", "PSETEX":
		if len(args) > 2 {
			s.set(key, args[2])
		}
		return "+OK\r\n"
	case "GET", "GETDEL", "GETEX":
		if !there {
			return "$-1\r\n"
		}
		return bulk(value)
	case "MGET":
		var answer strings.Builder
		fmt.Fprintf(&answer, "*%d\r\n", len(args))
		for _, key := range args {
			if value, there := s.keys[key]; there {
				answer.WriteString(bulk(value))
			} else {
				answer.WriteString("$-1\r\n")
			}
			if answer.Len() > 2*maxSize { // the same key again and again
				return "-ERR too much\r\n"
			}
		}
		return answer.String()
	case "DEL", "UNLINK", "EXISTS":
		n := 0
		for _, key := range args {
			if _, there := s.keys[key]; there {
				n++
			}
			if name != "EXISTS" {
				s.unset(key)
			}
		}
		return number(n)
	case "INCR", "DECR", "INCRBY", "DECRBY":
		n, by := 0, 1
		n, _ = strconv.Atoi(value) // what is no number counts from 0
		if len(args) > 1 {
			by, _ = strconv.Atoi(args[1])
		}
		if strings.HasPrefix(name, "DECR") {
			by = -by
		}
		s.set(key, strconv.Itoa(n+by))
		return number(n + by)
	case "KEYS":
		return array(slices.Sorted(maps.Keys(s.keys)))
	case "SCAN":
		return "*2\r\n" + bulk("0") + array(slices.Sorted(maps.Keys(s.keys)))
	case "TYPE":
		if there {
			return "+string\r\n"
		}
		return "+none\r\n"
	case "TTL", "PTTL", "DBSIZE", "PUBLISH", "LLEN", "SCARD", "HLEN", "ZCARD", "STRLEN", "HEXISTS", "SISMEMBER":
		return ":0\r\n"
	case "EXPIRE", "PEXPIRE", "HSET", "HDEL", "LPUSH", "RPUSH", "SADD", "SREM", "ZADD", "ZREM", "XLEN", "APPEND", "PERSIST":
		return ":1\r\n"
	case "HGET", "LPOP", "RPOP", "SPOP", "LINDEX", "ZSCORE", "XADD":
		return "$-1\r\n"
	case "HGETALL", "HKEYS", "HVALS", "LRANGE", "SMEMBERS", "ZRANGE", "XRANGE", "HMGET", "COMMAND":
		return "*0\r\n"
	}
	return "+OK\r\n" // AUTH, SELECT, CLIENT, CONFIG, FLUSHDB and others
}

func bulk(text string) string { return fmt.Sprintf("$%d\r\n%s\r\n", len(text), text) }

func number(n int) string { return fmt.Sprintf(":%d\r\n", n) }

func array(list []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "*%d\r\n", len(list))
	for _, text := range list {
		b.WriteString(bulk(text))
	}
	return b.String()
}
