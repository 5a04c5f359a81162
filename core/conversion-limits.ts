/** Bounds of conversion webhooks. */
export const conversionLimits = Object.freeze({
  /** Objects and bytes of stored objects in one request to a conversion webhook; a longer list is converted by several. */
  conversionObjectsMax: 500,
  conversionBytesMax: 2 * 1024 * 1024,
  /** Size of an answer of a conversion webhook: the objects may grow, each answer by the free bytes and so many times its request. */
  conversionAnswerBytesMax: 16 * 1024 * 1024,
  conversionAnswerFreeBytes: 256 * 1024,
  conversionGrowthMax: 16,
  /** Values of its JSON: a fixed number, and a factor on those of the request. All of them are read in this thread. */
  conversionAnswerValuesMin: 12_000,
  conversionAnswerValuesPerValueMax: 4,
  /** UTF-16 units of an answer from which on it gets a turn of its own. */
  conversionTurnLengthMin: 16_384,
  /** UTF-16 units of an error that names what a conversion webhook has sent, and labels or annotations that one error names. */
  conversionErrorLengthMax: 4_096,
  conversionKeysShownMax: 10,
  /** Bytes of converted objects that the watches of one kind share. Others are converted again. */
  conversionSharedBytesMax: 4 * 1024 * 1024,
  /** Milliseconds before the events of a watch are converted again after a failure: the first pause, each twice the one before, and the longest. */
  conversionRetryMs: 100,
  conversionRetryMsMax: 5_000,
});
