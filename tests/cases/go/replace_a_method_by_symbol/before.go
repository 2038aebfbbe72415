// Copyright 2024 The Authors. All rights reserved.

//go:build linux

// Package web serves pages.
package web

import (
	"context"
	"net/http"

	"example.com/log"
)

const defaultPort = 8080

// State says what the server does.
type State int

const (
	// Idle waits.
	Idle State = iota // zero
	Running
	Stopped
)

var (
	errClosed = errors.New("web: closed")
	hosts     = map[string]int{"a": 1, "b": 2}
)

// Server answers requests.
type Server[T any] struct {
	http.Handler

	// Addr is where it listens.
	Addr string `json:"addr"`
	x, y int    // a point
	next *Server[T]
}

// Store keeps things.
type Store interface {
	Put(k string, v int) error
	Len() int
}

type Number interface {
	~int | ~float64
}

type Pair = [2]int

// Handle answers one request.
//
//go:noinline
func (s *Server[T]) Handle(ctx context.Context, r *http.Request) (int, error) {
	// Handle the state.
	switch s.state {
	case Idle:
		// Nothing runs.
		s.start()
		return 200, nil
	case Running, Stopped:
	default:
		log.Print("Handle: unknown state")
	}
	select {
	case <-ctx.Done():
		return 0, ctx.Err()
	case s.queue <- r:
	}
	return 500, errClosed
}

func (s Server[T]) Len() int { return len(s.items) }

// New makes a server.
func New[K comparable, V any](addr string, items map[K]V) *Server[V] {
	return &Server[V]{
		Addr: addr,
		x:    1,
	}
}

func usage() string {
	return `usage:
	web [flags]
  -h  help
`
}
