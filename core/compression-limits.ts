/** Bounds of compressed replies, a part of `limits`. */
export const compressionLimits = Object.freeze({
  /** Minimum bytes of a list or object that is compressed for a client that accepts gzip. */
  gzipBytesMin: 128 * 1024,
  /**
   * Bytes of JSON of a block of a list, which is compressed once for all lists; a single larger object is a block of its own. A change of an object
   * costs the compression of one block; small blocks compress less.
   */
  blockBytesMin: 64 * 1024,
  blockBytesMax: 128 * 1024,
  /** Bytes that are compressed in one step: at most 2 ms. */
  deflateBytesMax: 128 * 1024,
  /** Bytes of the compressed blocks that are kept, of the parts of blocks at the edges of pages, and milliseconds without use after which
   *  they are dropped; some are dropped after twice the time. */
  compressedBlocksBytesMax: 64 * 1024 * 1024,
  compressedEdgesBytesMax: 8 * 1024 * 1024,
  compressedIdleMs: 60_000,
  /** Edges that begin with the same object, in one encoding. */
  compressedEdgeVariantsMax: 4,
});
