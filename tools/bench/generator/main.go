// Command generator sends the load of the benchmarks over HTTP/2 as client-go does: few connections, many streams on each,
// flow-control windows of the same size, and the same frames in the same writes. It costs the machine a fraction of what the
// measured server costs.
//
// It reads one JSON job per line from standard input, and writes one line of JSON for each. It ends when its input ends.
// tools/bench/generator.ts builds and starts it.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
)

// lineBytesMax bounds a job: bodies of 100 kB are in it.
const lineBytesMax = 4 << 20

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, lineBytesMax)
	answers := json.NewEncoder(os.Stdout)
	var opened *watching
	var slow *slowWatches
	for lines.Scan() {
		answer, err := answer(lines.Bytes(), &opened, &slow)
		if err == nil {
			err = answers.Encode(answer)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, "generator:", err)
			os.Exit(1)
		}
	}
}

// answer carries out one job. Watches stay open between jobs.
func answer(line []byte, opened **watching, slow **slowWatches) (any, error) {
	var job job
	if err := json.Unmarshal(line, &job); err != nil {
		return nil, err
	}
	switch job.Step {
	case "load":
		return load(job)
	case "open":
		watching, err := openWatches(job)
		*opened = watching
		return struct{}{}, err
	case "run":
		return (*opened).run(job.Writes)
	case "open slow":
		watches, err := openSlow(job)
		*slow = watches
		return struct{}{}, err
	case "slow":
		return (*slow).status(), nil
	case "close":
		(*opened).close()
		return struct{}{}, nil
	}
	return nil, fmt.Errorf("unknown step %q", job.Step)
}
