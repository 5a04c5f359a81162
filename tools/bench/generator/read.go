package main

import (
	"errors"
	"fmt"
	"strconv"

	"golang.org/x/net/http2"
)

// read handles the frames of the server until the connection ends; then every open stream ends with an error.
func (c *connection) read() {
	var err error
	for err == nil {
		var frame http2.Frame
		if frame, err = c.framer.ReadFrame(); err == nil {
			err = c.handle(frame)
		}
		if err == nil && c.deaf.Load() {
			return // Until the end of the process.
		}
	}
	c.state.Lock()
	c.err, c.draining = err, true
	for id, s := range c.streams {
		delete(c.streams, id)
		s.done <- err
	}
	c.windowOpened.Broadcast()
	c.state.Unlock()
	close(c.broken)
}

func (c *connection) handle(frame http2.Frame) error {
	switch frame := frame.(type) {
	case *http2.MetaHeadersFrame:
		return c.onHead(frame)
	case *http2.DataFrame:
		return c.onData(frame)
	case *http2.RSTStreamFrame:
		c.resets.Add(1)
		c.end(frame.StreamID, fmt.Errorf("the server reset the stream: %s", frame.ErrCode))
	case *http2.WindowUpdateFrame:
		c.onWindow(frame.StreamID, int64(frame.Increment))
	case *http2.SettingsFrame:
		return c.onSettings(frame)
	case *http2.PingFrame:
		if !frame.IsAck() {
			return c.write(func() error { return c.framer.WritePing(true, frame.Data) })
		}
	case *http2.GoAwayFrame:
		c.onGoAway(frame)
	}
	return nil
}

func (c *connection) write(frames func() error) error {
	c.writing.Lock()
	defer c.writing.Unlock()
	return errors.Join(frames(), c.out.Flush())
}

func (c *connection) stream(id uint32) *stream {
	c.state.Lock()
	defer c.state.Unlock()
	return c.streams[id]
}

// end resolves a stream: with nil at the end of its response.
func (c *connection) end(id uint32, err error) {
	c.state.Lock()
	s := c.streams[id]
	delete(c.streams, id)
	c.state.Unlock()
	if s != nil {
		s.done <- err
	}
}

func (c *connection) onHead(frame *http2.MetaHeadersFrame) error {
	s := c.stream(frame.StreamID)
	if s == nil {
		return nil
	}
	if status := frame.PseudoValue("status"); status != "" {
		code, err := strconv.Atoi(status)
		if err != nil {
			return err
		}
		s.status = code
	}
	for _, field := range frame.RegularFields() {
		if field.Name == "content-encoding" && field.Value == "gzip" {
			s.gzipped = true
		}
	}
	if frame.StreamEnded() {
		c.end(frame.StreamID, nil)
	}
	return nil
}

// onData counts the bytes against both windows, and refreshes them in one write, as Go's client does when a body is read.
func (c *connection) onData(frame *http2.DataFrame) error {
	s := c.stream(frame.StreamID)
	ofConnection, ofStream := c.received.add(int(frame.Length)), uint32(0)
	if s != nil {
		if s.onData != nil {
			s.onData(frame.Data())
		}
		if frame.StreamEnded() {
			c.end(frame.StreamID, nil)
		} else {
			ofStream = s.received.add(int(frame.Length))
			if c.slowness == trickle {
				ofStream = 0
			}
		}
	}
	if ofConnection == 0 && ofStream == 0 {
		return nil
	}
	return c.write(func() error {
		var err error
		if ofConnection > 0 {
			err = c.framer.WriteWindowUpdate(0, ofConnection)
		}
		if ofStream > 0 {
			err = errors.Join(err, c.framer.WriteWindowUpdate(frame.StreamID, ofStream))
		}
		return err
	})
}

func (c *connection) onWindow(id uint32, increment int64) {
	c.state.Lock()
	defer c.state.Unlock()
	if id == 0 {
		c.sendWindow += increment
	} else if s := c.streams[id]; s != nil {
		s.sendWindow += increment
	}
	c.windowOpened.Broadcast()
}

func (c *connection) onSettings(frame *http2.SettingsFrame) error {
	if frame.IsAck() {
		return nil
	}
	c.state.Lock()
	if window, ok := frame.Value(http2.SettingInitialWindowSize); ok {
		for _, s := range c.streams {
			s.sendWindow += int64(window) - c.peerWindow
		}
		c.peerWindow = int64(window)
	}
	if bytes, ok := frame.Value(http2.SettingMaxFrameSize); ok {
		c.frameBytes = int(bytes)
	}
	c.windowOpened.Broadcast()
	c.state.Unlock()
	return c.write(func() error {
		if size, ok := frame.Value(http2.SettingHeaderTableSize); ok {
			c.encoder.SetMaxDynamicTableSizeLimit(size)
		}
		return c.framer.WriteSettingsAck()
	})
}

// onGoAway ends the streams that the server will not answer; the others go on.
func (c *connection) onGoAway(frame *http2.GoAwayFrame) {
	c.state.Lock()
	c.draining = true
	var refused []uint32
	for id := range c.streams {
		if id > frame.LastStreamID {
			refused = append(refused, id)
		}
	}
	c.state.Unlock()
	for _, id := range refused {
		c.end(id, errors.New("the server sent GOAWAY before the request"))
	}
}
