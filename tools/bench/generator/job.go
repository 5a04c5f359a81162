package main

import (
	"sort"
	"time"
)

// job is one line of the input.
type job struct {
	// Step is "load", or for watches "open", "run" and "close".
	Step string `json:"step"`
	// Where to connect: a port of loopback, the PEM file of the server's CA, and a bearer token.
	Port  int    `json:"port"`
	CA    string `json:"ca"`
	Token string `json:"token"`
	// Plain is HTTP/2 without TLS.
	Plain bool `json:"plain"`
	// Connections is the number of connections, each shared by many requests.
	Connections int `json:"connections"`

	// Of "load": requests under way, seconds and requests after which it stops (no bound if Count is 0).
	Clients int     `json:"clients"`
	Seconds float64 `json:"seconds"`
	// PerSecond is the number of requests that begin in a second; 0: as many as the clients can.
	PerSecond float64  `json:"perSecond"`
	Count     int64    `json:"count"`
	Request   template `json:"request"`
	// Objects is the number of existing objects, which requests name in a pseudo-random order.
	Objects int64 `json:"objects"`
	// Gzip asks for gzip as Go's client does. Bodies are counted as they arrive, and not decompressed, except for the first.
	Gzip bool `json:"gzip"`

	// Of "open": path of the collection, number of watches, rate of writes.
	Path            string  `json:"path"`
	Watchers        int     `json:"watchers"`
	WritesPerSecond float64 `json:"writesPerSecond"`
	// Template of the written objects, with a place for their name and their number.
	Object string `json:"object"`
	// Updated is the end of the path of an update, such as "/status".
	Updated string `json:"updated"`

	// Slowness of the watches; default: none. "deaf": their connections are not read. "trickle": each watch accepts Bytes a second.
	Slowness string `json:"slowness"`
	Bytes    uint32 `json:"bytes"`

	// Of "run".
	Writes int `json:"writes"`
}

// loaded is the result of a load; latencies are in milliseconds.
type loaded struct {
	Requests int     `json:"requests"`
	Failed   int64   `json:"failed"`
	Seconds  float64 `json:"seconds"`
	P50      float64 `json:"p50"`
	P99      float64 `json:"p99"`
	P999     float64 `json:"p999"`
	Longest  float64 `json:"longest"`
	// Bytes of the bodies as they arrived.
	Bytes int64 `json:"bytes"`
}

// watched is the result of a run of writes; latencies are from just before a write to the arrival of its event.
type watched struct {
	Delivered int     `json:"delivered"`
	Missing   int     `json:"missing"`
	Doubled   int     `json:"doubled"`
	Seconds   float64 `json:"seconds"`
	P50       float64 `json:"p50"`
	P99       float64 `json:"p99"`
	P999      float64 `json:"p999"`
	// WriteP50 and WriteP99 are from before a write to its answer.
	WriteP50 float64 `json:"writeP50"`
	WriteP99 float64 `json:"writeP99"`
	// WriteSeconds is from the first write to the answer of the last.
	WriteSeconds float64 `json:"writeSeconds"`
}

// percentiles sorts the latencies and returns those at the shares, in milliseconds; zeros if there are none.
func percentiles(latencies []time.Duration, shares ...float64) []float64 {
	sort.Slice(latencies, func(i, j int) bool { return latencies[i] < latencies[j] })
	values := make([]float64, len(shares))
	for i, share := range shares {
		if len(latencies) > 0 {
			at := min(len(latencies)-1, int(float64(len(latencies))*share))
			values[i] = float64(latencies[at]) / float64(time.Millisecond)
		}
	}
	return values
}
