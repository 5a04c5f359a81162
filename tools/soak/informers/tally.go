package main

import (
	"encoding/json"
	"fmt"
	"os"
	"sync"
	"time"
)

// faultsMax bounds the faults and failures that are kept.
const faultsMax = 1000

// tally collects counts, faults and failures of all goroutines.
type tally struct {
	mutex  sync.Mutex
	report Report
}

func newTally() *tally {
	return &tally{report: Report{Counts: map[string]int{}, Faults: []string{}, Failures: []Failure{}}}
}

func (t *tally) count(what string) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.report.Counts[what]++
}

func (t *tally) fault(format string, values ...any) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.report.Counts["faults"]++
	if len(t.report.Faults) < faultsMax {
		t.report.Faults = append(t.report.Faults, fmt.Sprintf(format, values...))
	}
}

func (t *tally) failure(what string, err error) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.report.Counts["failures"]++
	if len(t.report.Failures) < faultsMax {
		t.report.Failures = append(t.report.Failures, Failure{time.Now().UnixMilli(), what + ": " + err.Error()})
	}
}

func (t *tally) print() error {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	return json.NewEncoder(os.Stdout).Encode(t.report)
}
