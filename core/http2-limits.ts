/** Bounds of HTTP/2 connections. */
export const http2Limits = Object.freeze({
  /** Default of concurrent requests of one HTTP/2 connection (Go's default). */
  streamsPerConnectionMax: 250,
  /** Requests of one HTTP/2 connection that start in one turn of the event loop, and chunks of their bodies that it reads. */
  requestsPerTurnMax: 32,
  piecesPerTurnMax: 256,
  /** HTTP/2 frames of one connection that one turn of the event loop reads. */
  framesPerTurnMax: 64,
  /** Bytes of the head of an HTTP/2 request that count as a request of their own in a turn: large heads take longer. */
  headBytesPerTurnRequest: 1024,
  /**
   * Receive windows of HTTP/2 in bytes: of one request, and of a connection. They bound what a client sends before its requests are read.
   * kube-apiserver has 256 KiB for a request.
   */
  http2StreamWindowBytes: 256 * 1024,
  http2ConnectionWindowBytes: 1024 * 1024,
  /** Bytes of the dynamic table of a client's headers (the default of HTTP/2), and frames of one block of headers. */
  http2HeaderTableBytes: 4096,
  http2HeaderFramesMax: 128,
  /** Bytes of other frames that are neither heads nor bodies, such as SETTINGS, that count as a frame of their own in a turn. */
  frameBytesPerTurnFrame: 256,
  /** Bytes that an HTTP/2 client has not read, whichever frames they are in, above which nothing more of its connection is read. */
  http2UnreadBytesMax: 256 * 1024,
  /** Bytes of the buffers of unread frames of all HTTP/2 connections, above which the connection ends whose client has read nothing for the longest
   *  time. */
  http2UnreadBytesOfAllMax: 128 * 1024 * 1024,
  /** Milliseconds between the two GOAWAY frames of a connection if the client does not answer the PING between them (as Go's server). */
  http2GoAwayMs: 1_000,
  /** Requests that an HTTP/2 client may reset before their responses, in excess of completed ones (Go: four times the concurrent streams). */
  earlyResetsMax: 500,
  /** Memory of Node for an HTTP/2 connection, in mebibytes per concurrent request. Node's default, 10 for the connection, is too small for a
   *  connection with many watches. */
  streamMemoryMebibytes: 1,
  /** HTTP/2 sessions that get a GOAWAY in one step of a shutdown, and milliseconds between two steps. */
  goawaysPerStep: 16,
  goawayStepMs: 20,
});
