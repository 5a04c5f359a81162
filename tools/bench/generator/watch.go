package main

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
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
	// seen has a tally for each connection.
	seen []*tally
	left atomic.Int64
	done chan struct{}
}

// tally counts the events of the watches of one connection, which has one reader.
type tally struct {
	all       *watching
	mutex     sync.Mutex
	delivered int
	doubled   int
	latencies []time.Duration
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
	for range p.all {
		w.seen = append(w.seen, &tally{all: w})
	}
	for index := range job.Watchers {
		watcher := &watcher{seen: w.seen[index%len(p.all)], start: w.start}
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
	wanted := w.job.Watchers * writes
	w.done = make(chan struct{})
	w.left.Store(int64(wanted))
	for _, each := range w.seen {
		each.mutex.Lock()
		each.delivered, each.doubled, each.latencies = 0, 0, make([]time.Duration, 0, wanted/len(w.seen)+writes)
		each.mutex.Unlock()
	}
	begun := time.Now()
	var group sync.WaitGroup
	var failures [writers]error
	var answered [writers][]time.Duration
	for writer := range writers {
		group.Go(func() { answered[writer], failures[writer] = w.writeInTime(begun, writer, writes) })
	}
	group.Wait()
	writing := time.Since(begun).Seconds()
	if err := errors.Join(failures[:]...); err != nil {
		return watched{}, err
	}
	select {
	case <-w.done:
	case <-time.After(settle):
	}
	seconds := time.Since(begun).Seconds()
	delivered, doubled, latencies := 0, 0, make([]time.Duration, 0, wanted)
	for _, each := range w.seen {
		each.mutex.Lock()
		delivered, doubled, latencies = delivered+each.delivered, doubled+each.doubled, append(latencies, each.latencies...)
		each.mutex.Unlock()
	}
	at, of := percentiles(latencies, 0.5, 0.99, 0.999), percentiles(slices.Concat(answered[:]...), 0.5, 0.99)
	return watched{delivered, wanted - delivered, doubled, seconds, at[0], at[1], at[2], of[0], of[1], writing}, nil
}

func (w *watching) writeInTime(begun time.Time, writer, writes int) ([]time.Duration, error) {
	var answered []time.Duration
	for n := writer; n < writes; n += writers {
		due := time.Duration(math.Round(float64(n) / w.job.WritesPerSecond * float64(time.Second)))
		time.Sleep(time.Until(begun.Add(due)))
		number := fmt.Sprintf("%d %d %d", writer, w.written[writer], time.Since(w.start))
		w.written[writer]++
		before := time.Now()
		if err := w.write("PUT", w.job.Path+"/"+w.name(writer)+w.job.Updated, writer, number); err != nil {
			return answered, err
		}
		answered = append(answered, time.Since(before))
	}
	return answered, nil
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
	w.seen.mutex.Lock()
	before, now := w.seen.delivered, time.Since(w.start)
	for {
		end := bytes.IndexByte(data, '\n')
		if end < 0 {
			break
		}
		if at := bytes.Index(data[:end], mark); at >= 0 {
			w.event(data[at+len(mark):end], now)
		}
		data = data[end+1:]
	}
	delivered := w.seen.delivered - before
	w.seen.mutex.Unlock()
	if len(data) > 0 {
		w.rest = append(w.rest, data...)
	}
	if delivered > 0 && w.seen.all.left.Add(-int64(delivered)) == 0 {
		close(w.seen.all.done)
	}
}

// event counts the event whose number starts the text: `3 17 1234567","value":...`.
func (w *watcher) event(text []byte, now time.Duration) {
	writer, text := digits(text)
	number, text := digits(text)
	sent, _ := digits(text)
	if writer < 0 || writer >= writers || number < 0 || sent < 0 {
		return
	}
	switch {
	case number == w.next[writer]:
		w.next[writer]++
		w.seen.delivered++
		w.seen.latencies = append(w.seen.latencies, now-time.Duration(sent))
	case number < w.next[writer]:
		w.seen.doubled++
	}
}

// digits reads a number and the byte after it; -1 if there is none.
func digits(text []byte) (int, []byte) {
	number := -1
	for at, c := range text {
		if c < '0' || c > '9' {
			return number, text[at+1:]
		}
		number = max(number, 0)*10 + int(c-'0')
	}
	return -1, nil
}
