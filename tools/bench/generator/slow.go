package main

import (
	"fmt"
	"time"
)

// Kinds of slowness.
const (
	deaf    = "deaf"
	trickle = "trickle"
)

// slowed says how many of the slow watches the server has ended.
type slowed struct {
	Resets      int64 `json:"resets"`
	Connections int   `json:"connections"`
}

// slowWatches are open watches that read too slowly.
type slowWatches struct{ pool *pool }

// openSlow opens watches of a collection, from now on, whose clients are slow.
func openSlow(job job) (*slowWatches, error) {
	p, err := openPool(job)
	if err != nil {
		return nil, err
	}
	ids := make([][]uint32, len(p.all))
	for index := range job.Watchers {
		c := p.all[index%len(p.all)]
		s := &stream{onData: func([]byte) {}, done: make(chan error, 1)}
		id, err := c.sendHead(request{method: "GET", path: job.Path + "?watch=true&timeoutSeconds=1800"}, s)
		if err != nil {
			return nil, fmt.Errorf("watch %d: %w", index, err)
		}
		ids[index%len(p.all)] = append(ids[index%len(p.all)], id)
	}
	for index, c := range p.all {
		if job.Slowness == deaf {
			// A frame that arrives lets the reader see it.
			time.AfterFunc(time.Second, func() { c.deaf.Store(true) })
		} else {
			go c.drip(ids[index], job.Bytes)
		}
	}
	return &slowWatches{p}, nil
}

// dripSeconds is the time after which a stream gets bytes again.
const dripSeconds = 10

// drip opens the windows of streams, of one after the other, so that each gets this number of bytes in a second on average.
func (c *connection) drip(ids []uint32, bytes uint32) {
	pause := time.NewTicker(dripSeconds * time.Second / time.Duration(len(ids)))
	defer pause.Stop()
	for at := 0; ; at = (at + 1) % len(ids) {
		select {
		case <-c.broken:
			return
		case <-pause.C:
		}
		id := ids[at]
		if c.stream(id) == nil {
			continue
		}
		if c.write(func() error { return c.framer.WriteWindowUpdate(id, bytes*dripSeconds) }) != nil {
			return
		}
	}
}

// status counts what the server has ended.
func (w *slowWatches) status() slowed {
	var found slowed
	for _, c := range w.pool.all {
		found.Resets += c.resets.Load()
		select {
		case <-c.broken:
			found.Connections++
		default:
		}
	}
	return found
}
