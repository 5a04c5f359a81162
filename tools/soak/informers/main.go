// Command informers runs client-go's shared informers and writers against one server, and checks what the informers receive.
//
// It reads its configuration, one line of JSON, from standard input, and then lines: "progress" prints the counts so far; "finish" ends the
// writers, compares the stores of the informers with lists, and prints a report. The end of standard input ends it.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"time"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// Config is the first line of standard input.
type Config struct {
	URL    string `json:"url"`
	CAFile string `json:"caFile"`
	Token  string `json:"token"`
	// Namespace of the objects; it must exist.
	Namespace string `json:"namespace"`
	// PauseMs is the pause of each writer between two writes.
	PauseMs float64 `json:"pauseMs"`
	// Encodings to use: "json", "protobuf" or both. Each has an informer of ConfigMaps, one of Secrets, and a writer.
	Encodings []string `json:"encodings"`
}

// Report is one line of standard output.
type Report struct {
	Counts map[string]int `json:"counts"`
	// Faults are violations; none can be explained by a restart of the server.
	Faults []string `json:"faults"`
	// Failures are failed requests. Those during a restart are expected.
	Failures []Failure `json:"failures"`
}

// Failure is a failed request.
type Failure struct {
	// At is a Unix time in milliseconds.
	At   int64  `json:"at"`
	Text string `json:"text"`
}

var contentTypes = map[string]string{"json": "application/json", "protobuf": "application/vnd.kubernetes.protobuf"}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	lines := bufio.NewScanner(os.Stdin)
	if !lines.Scan() {
		return fmt.Errorf("standard input has no configuration")
	}
	var config Config
	if err := json.Unmarshal(lines.Bytes(), &config); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	tally := newTally()
	var clients []*client
	for _, encoding := range config.Encodings {
		started, err := start(ctx, config, encoding, tally)
		if err != nil {
			return err
		}
		clients = append(clients, started)
	}
	for lines.Scan() {
		if lines.Text() == "finish" {
			for _, each := range clients {
				each.finish(ctx)
			}
		}
		if err := tally.print(); err != nil {
			return err
		}
	}
	return lines.Err()
}

// start begins the informers and the writer of one encoding.
func start(ctx context.Context, config Config, encoding string, tally *tally) (*client, error) {
	set, err := kubernetes.NewForConfig(&rest.Config{
		Host:            config.URL,
		BearerToken:     config.Token,
		TLSClientConfig: rest.TLSClientConfig{CAFile: config.CAFile},
		ContentConfig:   rest.ContentConfig{ContentType: contentTypes[encoding], AcceptContentTypes: contentTypes[encoding]},
		UserAgent:       "informers-" + encoding,
		QPS:             -1,
	})
	if err != nil {
		return nil, err
	}
	started := &client{
		set:       set,
		namespace: config.Namespace,
		encoding:  encoding,
		pause:     time.Duration(config.PauseMs * float64(time.Millisecond)),
		tally:     tally,
		stopped:   make(chan struct{}),
		ended:     make(chan struct{}),
	}
	return started, started.start(ctx)
}
