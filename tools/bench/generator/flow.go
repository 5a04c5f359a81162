package main

// Sizes of the receiving windows of Go's HTTP/2 client (golang.org/x/net/http2, transport.go).
const (
	streamWindow     = 4 << 20
	connectionWindow = 1 << 30
	initialWindow    = 65_535
	// refreshMin is the number of received bytes after which the window is refreshed.
	refreshMin = 4 << 10
)

// inflow is a receiving window.
type inflow struct{ unsent uint32 }

// add counts received bytes, and returns the increment that has to be sent now, or 0.
func (f *inflow) add(bytes int) uint32 {
	f.unsent += uint32(bytes)
	if f.unsent < refreshMin {
		return 0
	}
	increment := f.unsent
	f.unsent = 0
	return increment
}
