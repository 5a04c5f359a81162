package main

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"
)

// pool hands out connections, and replaces those that the server wants to close.
type pool struct {
	dial  func() (*connection, error)
	mutex sync.Mutex
	all   []*connection
}

func openPool(job job) (*pool, error) {
	p := &pool{dial: func() (*connection, error) { return dial(job) }}
	for range max(1, job.Connections) {
		c, err := p.dial()
		if err != nil {
			return nil, err
		}
		p.all = append(p.all, c)
	}
	return p, nil
}

func (p *pool) get(index int) (*connection, error) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	at := index % len(p.all)
	if !p.all[at].isDraining() {
		return p.all[at], nil
	}
	c, err := p.dial()
	if err == nil {
		p.all[at] = c
	}
	return c, err
}

func (p *pool) close() {
	for _, c := range p.all {
		c.close()
	}
}

// load keeps `Clients` requests under way, and measures each from before its first byte is written to its last byte.
func load(job job) (loaded, error) {
	p, err := openPool(job)
	if err != nil {
		return loaded{}, err
	}
	defer p.close()
	path, body := pieces(job.Request.Path), pieces(job.Request.Body)
	next := func(number int64) request {
		return request{
			method: job.Request.Method, contentType: job.Request.ContentType,
			path: expand(path, number, job.Objects), body: expand(body, number, job.Objects),
		}
	}
	if job.Gzip {
		if err := checkGzip(p, next(0)); err != nil {
			return loaded{}, err
		}
	}
	var begun, failed, received atomic.Int64
	latencies := make([][]time.Duration, job.Clients)
	var clients sync.WaitGroup
	start := time.Now()
	end := start.Add(time.Duration(job.Seconds * float64(time.Second)))
	for index := range job.Clients {
		clients.Go(func() {
			pause := time.Duration(0)
			if job.PerSecond > 0 {
				pause = time.Duration(float64(job.Clients) / job.PerSecond * float64(time.Second))
			}
			// Clients that pause begin one after the other.
			for due := start.Add(pause * time.Duration(index) / time.Duration(job.Clients)); ; due = due.Add(pause) {
				time.Sleep(time.Until(due))
				if !time.Now().Before(end) {
					return
				}
				number := begun.Add(1) - 1
				if job.Count > 0 && number >= job.Count {
					return
				}
				r := next(number)
				r.onData = func(data []byte) { received.Add(int64(len(data))) }
				before := time.Now()
				if !succeeds(p, index, r) {
					failed.Add(1)
				}
				latencies[index] = append(latencies[index], time.Since(before))
			}
		})
	}
	clients.Wait()
	seconds := time.Since(start).Seconds()
	var all []time.Duration
	for _, each := range latencies {
		all = append(all, each...)
	}
	at := percentiles(all, 0.5, 0.99, 0.999, 1)
	return loaded{len(all), failed.Load(), seconds, at[0], at[1], at[2], at[3], received.Load()}, nil
}

func succeeds(p *pool, index int, r request) bool {
	c, err := p.get(index)
	if err != nil {
		return false
	}
	s, err := c.do(r)
	return err == nil && s.status < 300
}

// checkGzip verifies once that a body is in gzip and complete.
func checkGzip(p *pool, r request) error {
	c, err := p.get(0)
	if err != nil {
		return err
	}
	var body bytes.Buffer
	r.onData = func(data []byte) { body.Write(data) }
	s, err := c.do(r)
	if err != nil {
		return err
	}
	if s.status != 200 || !s.gzipped {
		return fmt.Errorf("%s was answered with %d, gzip: %t", r.path, s.status, s.gzipped)
	}
	reader, err := gzip.NewReader(&body)
	if err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, reader)
	return errors.Join(err, reader.Close())
}
