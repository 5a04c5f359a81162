package main

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	// writers is the number of written objects; each has its own writer, so that none waits for another.
	writers = 8
	// settle is how long the last events are waited for.
	settle = 20 * time.Second
)

var (
	// mark precedes "writer number nanoseconds" in an event.
	mark      = []byte(`"n":"`)
	revisions = regexp.MustCompile(`"metadata":\{"resourceVersion":"(\d+)"`)
)

// watching is open watches on one collection, and the writers of its objects.
type watching struct {
	job     job
	pool    *pool
	object  []string
	start   time.Time
	written [writers]int
	seen    tally
}

// tally counts the events of all watches. Connections have a reader each, so it is guarded.
type tally struct {
	mutex     sync.Mutex
	delivered int
	doubled   int
	wanted    int
	latencies []time.Duration
	done      chan struct{}
}

// openWatches creates the objects, and opens the watches from their revision on, spread over the connections.
func openWatches(job job) (*watching, error) {
	p, err := openPool(job)
	if err != nil {
		return nil, err
	}
	w := &watching{job: job, pool: p, object: strings.Split(job.Object, "<name>"), start: time.Now()}
	for writer := range writers {
		if err := w.write("POST", job.Path, writer, "-1"); err != nil {
			return nil, err
		}
	}
	var listed bytes.Buffer
	_, err = p.all[0].do(request{method: "GET", path: job.Path + "?limit=1", onData: func(data []byte) { listed.Write(data) }})
	if err != nil {
		return nil, err
	}
	// A bare server has no revisions.
	revision := ""
	if found := revisions.FindSubmatch(listed.Bytes()); found != nil {
		revision = string(found[1])
	}
	path := fmt.Sprintf("%s?watch=true&resourceVersion=%s&timeoutSeconds=1800", job.Path, revision)
	for index := range job.Watchers {
		watcher := &watcher{seen: &w.seen, start: w.start}
		if _, err := p.all[index%len(p.all)].send(request{method: "GET", path: path, onData: watcher.read}); err != nil {
			return nil, err
		}
	}
	return w, nil
}

func (w *watching) name(writer int) string {
	return fmt.Sprintf("watched-%d-%d", writer, w.start.UnixNano())
}

func (w *watching) write(method, path string, writer int, number string) error {
	body := strings.ReplaceAll(strings.Join(w.object, w.name(writer)), "<number>", number)
	c, err := w.pool.get(writer)
	if err != nil {
		return err
	}
	s, err := c.do(request{method: method, path: path, contentType: "application/json", body: body})
	if err == nil && s.status >= 300 {
		err = fmt.Errorf("%s %s was answered with %d", method, path, s.status)
	}
	return err
}

// run writes with the wanted rate, and waits until every watch has every event.
func (w *watching) run(writes int) (watched, error) {
	done := make(chan struct{})
	w.seen.mutex.Lock()
	w.seen.delivered, w.seen.doubled, w.seen.wanted = 0, 0, w.job.Watchers*writes
	w.seen.latencies, w.seen.done = make([]time.Duration, 0, w.seen.wanted), done
	w.seen.mutex.Unlock()
	begun := time.Now()
	var group sync.WaitGroup
	var failures [writers]error
	for writer := range writers {
		group.Go(func() { failures[writer] = w.writeInTime(begun, writer, writes) })
	}
	group.Wait()
	if err := errors.Join(failures[:]...); err != nil {
		return watched{}, err
	}
	select {
	case <-done:
	case <-time.After(settle):
	}
	seconds := time.Since(begun).Seconds()
	w.seen.mutex.Lock()
	defer w.seen.mutex.Unlock()
	at := percentiles(w.seen.latencies, 0.5, 0.99, 0.999)
	return watched{w.seen.delivered, w.seen.wanted - w.seen.delivered, w.seen.doubled, seconds, at[0], at[1], at[2]}, nil
}

func (w *watching) writeInTime(begun time.Time, writer, writes int) error {
	for n := writer; n < writes; n += writers {
		due := time.Duration(math.Round(float64(n) / w.job.WritesPerSecond * float64(time.Second)))
		time.Sleep(time.Until(begun.Add(due)))
		number := fmt.Sprintf("%d %d %d", writer, w.written[writer], time.Since(w.start))
		w.written[writer]++
		if err := w.write("PUT", w.job.Path+"/"+w.name(writer)+w.job.Updated, writer, number); err != nil {
			return err
		}
	}
	return nil
}

func (w *watching) close() { w.pool.close() }

// watcher reads the events of one watch: it finds the number of each without parsing it.
type watcher struct {
	seen  *tally
	start time.Time
	next  [writers]int
	rest  []byte
}

func (w *watcher) read(data []byte) {
	if len(w.rest) > 0 {
		data = append(w.rest, data...)
		w.rest = nil
	}
	for {
		end := bytes.IndexByte(data, '\n')
		if end < 0 {
			break
		}
		if at := bytes.Index(data[:end], mark); at >= 0 {
			w.event(data[at+len(mark) : end])
		}
		data = data[end+1:]
	}
	if len(data) > 0 {
		w.rest = append(w.rest, data...)
	}
}

// event counts the event whose number starts the text: `3 17 1234567","value":...`.
func (w *watcher) event(text []byte) {
	fields := bytes.Fields(text[:max(0, bytes.IndexByte(text, '"'))])
	if len(fields) != 3 {
		return
	}
	writer, _ := strconv.Atoi(string(fields[0]))
	number, _ := strconv.Atoi(string(fields[1]))
	sent, _ := strconv.ParseInt(string(fields[2]), 10, 64)
	if writer < 0 || writer >= writers {
		return
	}
	seen := w.seen
	seen.mutex.Lock()
	defer seen.mutex.Unlock()
	switch {
	case number == w.next[writer]:
		w.next[writer]++
		seen.delivered++
		seen.latencies = append(seen.latencies, time.Since(w.start)-time.Duration(sent))
		if seen.delivered == seen.wanted {
			close(seen.done)
		}
	case number < w.next[writer]:
		seen.doubled++
	}
}
