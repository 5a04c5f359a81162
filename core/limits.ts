/** Every bound of the server, named with its unit. Tests try each at the bound and one past it. */
export const limits = Object.freeze({
  /** Largest request body (kube-apiserver's MaxRequestBodyBytes). */
  bodyBytesMax: 3 * 1024 * 1024,
  /** Deepest nesting of a JSON or YAML document. */
  documentDepthMax: 10_000,
  /** Operations in one JSON patch. */
  jsonPatchOperationsMax: 10_000,
  /** Bytes that the copies of one JSON patch may add. */
  jsonPatchCopyBytesMax: 3 * 1024 * 1024,
  /** Values of a ConfigMap or Secret together. */
  configBytesMax: 1024 * 1024,
  /** Keys and values of an object's annotations together. */
  annotationsBytesMax: 256 * 1024,
  fieldManagerBytesMax: 128,
  /** Runes of all Warning headers of one answer, and of each once that is exceeded. */
  warningRunesMax: 4096,
  warningRunesTruncated: 256,
  /** How often a create tries another generated name. */
  generateNameTries: 8,
  generatedNameLengthMax: 63,
  /** How often an unconditional update or patch is tried again on top of a newer entry. */
  updateTries: 5,
  /** Bytes at which a list or object is compressed for a client that accepts gzip. */
  gzipBytesMin: 128 * 1024,
  /** Pieces in which lists leave. */
  chunkBytes: 64 * 1024,
  /** What one watcher may have waiting before it is closed. */
  watchQueueBytesMax: 16 * 1024 * 1024,
});
