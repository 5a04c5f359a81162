package main

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"sync"
	"sync/atomic"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// Settings of Go's client: the table of headers of HPACK's default size, and the largest head of a response.
const (
	headerTableBytes = 4 << 10
	headBytesMax     = 10 << 20
	readBufferBytes  = 64 << 10
)

// connection is one HTTP/2 connection. Many goroutines send requests on it; one reads.
type connection struct {
	conn  net.Conn
	token string
	gzip  bool
	// slowness is that of a job. A deaf connection reads nothing once deaf is set.
	slowness string
	deaf     atomic.Bool
	resets   atomic.Int64  // Streams that the server has reset.
	broken   chan struct{} // Closed when the reader ends.

	// Guarded by writing: what a request writes must not be mixed with that of another.
	writing sync.Mutex
	out     *bufio.Writer
	framer  *http2.Framer
	head    bytes.Buffer
	encoder *hpack.Encoder
	nextID  uint32

	// Guarded by state.
	state        sync.Mutex
	windowOpened *sync.Cond // Waited for by bodies that exceed a window.
	streams      map[uint32]*stream
	sendWindow   int64
	peerWindow   int64 // Initial window of a stream.
	frameBytes   int
	draining     bool // No further requests: the server sent GOAWAY, or the connection broke.
	err          error

	received inflow // Of the reader only.
}

// stream is one request and its response.
type stream struct {
	status     int
	gzipped    bool
	onData     func([]byte)
	done       chan error
	sendWindow int64  // Guarded by the connection's state.
	received   inflow // Of the reader only.
}

// openSocket connects. The authority of the server is trusted only by the PEM file.
func openSocket(job job) (net.Conn, error) {
	address := net.JoinHostPort("127.0.0.1", strconv.Itoa(job.Port))
	if job.Plain {
		return net.Dial("tcp", address)
	}
	pem, err := os.ReadFile(job.CA)
	if err != nil {
		return nil, err
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("%s has no certificate", job.CA)
	}
	config := &tls.Config{RootCAs: roots, ServerName: "localhost", NextProtos: []string{"h2"}}
	conn, err := tls.Dial("tcp", address, config)
	if err != nil {
		return nil, err
	}
	if protocol := conn.ConnectionState().NegotiatedProtocol; protocol != "h2" {
		return nil, errors.Join(fmt.Errorf("the server chose the protocol %q", protocol), conn.Close())
	}
	return conn, nil
}

// dial opens a connection and sends the client's preface.
func dial(job job) (*connection, error) {
	conn, err := openSocket(job)
	if err != nil {
		return nil, err
	}
	c := &connection{
		conn: conn, token: job.Token, gzip: job.Gzip, slowness: job.Slowness, broken: make(chan struct{}), nextID: 1,
		streams: map[uint32]*stream{}, sendWindow: initialWindow, peerWindow: initialWindow, frameBytes: 16 << 10,
	}
	c.windowOpened = sync.NewCond(&c.state)
	c.encoder = hpack.NewEncoder(&c.head)
	c.out = bufio.NewWriter(conn)
	c.framer = http2.NewFramer(c.out, bufio.NewReaderSize(conn, readBufferBytes))
	c.framer.SetReuseFrames()
	c.framer.ReadMetaHeaders = hpack.NewDecoder(headerTableBytes, nil)
	if err := c.preface(); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	go c.read()
	return c, nil
}

func (c *connection) preface() error {
	window := uint32(streamWindow)
	if c.slowness == trickle {
		window = initialWindow
	}
	if _, err := c.out.WriteString(http2.ClientPreface); err != nil {
		return err
	}
	err := errors.Join(
		c.framer.WriteSettings(
			http2.Setting{ID: http2.SettingEnablePush, Val: 0},
			http2.Setting{ID: http2.SettingInitialWindowSize, Val: window},
			http2.Setting{ID: http2.SettingMaxHeaderListSize, Val: headBytesMax},
		),
		c.framer.WriteWindowUpdate(0, connectionWindow),
	)
	return errors.Join(err, c.out.Flush())
}

// request describes one request of a connection.
type request struct {
	method, path, contentType, body string
	// onData is called by the reader with every piece of the body, which is valid during the call only.
	onData func([]byte)
}

// send writes a request: its head and its body in a write each, as Go's client does.
func (c *connection) send(r request) (*stream, error) {
	s := &stream{onData: r.onData, done: make(chan error, 1)}
	id, err := c.sendHead(r, s)
	if err != nil || r.body == "" {
		return s, err
	}
	for rest := []byte(r.body); len(rest) > 0; {
		length, err := c.reserve(s, len(rest))
		if err != nil {
			return s, err
		}
		c.writing.Lock()
		err = errors.Join(c.framer.WriteData(id, length == len(rest), rest[:length]), c.out.Flush())
		c.writing.Unlock()
		if err != nil {
			return s, err
		}
		rest = rest[length:]
	}
	return s, nil
}

// do sends a request and waits for the end of its response.
func (c *connection) do(r request) (*stream, error) {
	s, err := c.send(r)
	if err == nil {
		err = <-s.done
	}
	return s, err
}

func (c *connection) sendHead(r request, s *stream) (uint32, error) {
	c.writing.Lock()
	defer c.writing.Unlock()
	id := c.nextID
	c.nextID += 2
	c.state.Lock()
	err := c.err
	if err == nil {
		s.sendWindow = c.peerWindow
		c.streams[id] = s
	}
	c.state.Unlock()
	if err != nil {
		return id, err
	}
	c.head.Reset()
	c.field(":authority", "localhost")
	c.field(":method", r.method)
	c.field(":path", r.path)
	c.field(":scheme", "https")
	c.field("accept", "application/json")
	if r.body != "" {
		c.field("content-type", r.contentType)
	}
	c.field("authorization", "Bearer "+c.token)
	c.field("user-agent", "bench/v0.0.0 (linux/amd64) kubernetes/unknown")
	if r.body != "" {
		c.field("content-length", strconv.Itoa(len(r.body)))
	}
	if c.gzip {
		c.field("accept-encoding", "gzip")
	}
	err = c.framer.WriteHeaders(http2.HeadersFrameParam{
		StreamID: id, BlockFragment: c.head.Bytes(), EndHeaders: true, EndStream: r.body == "",
	})
	return id, errors.Join(err, c.out.Flush())
}

// field appends a header to the head; writes to its buffer cannot fail.
func (c *connection) field(name, value string) {
	_ = c.encoder.WriteField(hpack.HeaderField{Name: name, Value: value})
}

// reserve waits for the windows of the stream and the connection, and takes at most `wanted` bytes and one frame of them.
func (c *connection) reserve(s *stream, wanted int) (int, error) {
	c.state.Lock()
	defer c.state.Unlock()
	for {
		if c.err != nil {
			return 0, c.err
		}
		if free := min(s.sendWindow, c.sendWindow); free > 0 {
			length := min(int64(wanted), free, int64(c.frameBytes))
			s.sendWindow -= length
			c.sendWindow -= length
			return int(length), nil
		}
		c.windowOpened.Wait()
	}
}

// isDraining reports whether requests must go to a new connection.
func (c *connection) isDraining() bool {
	c.state.Lock()
	defer c.state.Unlock()
	return c.draining
}

func (c *connection) close() {
	_ = c.conn.Close() // The other side may have closed it.
	<-c.broken
}
