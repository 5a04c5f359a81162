/** Bounds of the caches of lists and watches, a part of `limits`. */
export const cacheLimits = Object.freeze({
  /** A watch is closed if more than this is queued and its client has read nothing for `watchStalledMs`. */
  watchQueueBytesMax: 16 * 1024 * 1024,
  watchStalledMs: 1_000,
  /** Maximum bytes of the frames of one watch that are joined into one write. */
  watchPieceBytes: 256 * 1024,
  /** Milliseconds from the first check of a stalled watch to its end, so that pending socket events are processed first. */
  watchLastTurnMs: 100,
  /** Watches that one turn of the event loop serves. */
  watchesPerTurnMax: 128,
  /** Entries per step of a list. Other requests run between two steps. */
  listStepEntriesMax: 256,
  /**
   * Milliseconds of the shared wait of readers of the newest state. Signals and timeouts of readers are not checked during it: a signal and
   * timers for each reader would cost more than the shared round trip, which takes about a millisecond.
   */
  sharedWaitMs: 100,
  /** Bytes of cached entries in forms other than the stored form. */
  formsBytesMax: 64 * 1024 * 1024,
  /** Changes between two snapshots of a kind that are kept for exact reads. */
  snapshotEventsMax: 256,
  /** Milliseconds between two removals of old events and states of the kinds that do not change. */
  cacheExpiryMs: 60_000,
  /** Concurrent chunked lists of one kind, each of which keeps a snapshot. */
  pinnedListsMax: 32,
  /** JSON bytes of the decoded objects that are cached for the next write. */
  recentObjectsBytesMax: 4 * 1024 * 1024,
  /** Bytes of cached frames for watches that have not begun. */
  sharedFramesBytesMax: 8 * 1024 * 1024,
  /** Writes of this server without an event yet. Events of further writes are decoded. */
  ownWritesMax: 1024,
  /** Entries of the intern table of labels and fields. When it is full, a new table starts. */
  internedAttributesMax: 100_000,
  /** Indexed values of one watch selector. A selector with more values is evaluated at every change. */
  watchTokensMax: 16,
  /** Bytes and entries of one page when the cache is filled, and entries of the first page. */
  fillPageBytes: 4 * 1024 * 1024,
  fillPageEntriesMax: 2_000,
  fillPageEntriesFirst: 16,
  /** Keys below a prefix from which a fill reads keys before entries, and keys of one such read. */
  fillCountedMax: 20_000,
  fillKeysAhead: 50_000,
  /** Milliseconds after each full page when the cache is compared with the store. */
  consistencyPageMs: 50,
  /** Milliseconds after which a fill lets other work run, once it has decoded an entry. */
  fillTurnMs: 8,
  /** Maximum delay before the cache watches the store again after a failure. */
  cacheRetryMsMax: 5_000,
  /** Bytes of encoded messages of one protobuf list kept between measuring and sending. Others are encoded twice. */
  listMessagesBytesMax: 1024 * 1024,
  /** Interval of bookmarks of a watch without events. */
  bookmarkEveryMs: 60_000,
  /** Time from the last bookmark of a watch to its planned end. A shorter watch gets no bookmark. */
  bookmarkBeforeEndMs: 2_000,
  /** Characters of the shortest page of a list that readers in the process share, of all such pages, and milliseconds that they are kept. */
  sharedTextLengthMin: 4_096,
  sharedTextsLengthMax: 64 * 1024 * 1024,
  sharedTextsMs: 10_000,
  /** Seconds: minimum duration of a watch in process; the maximum is twice as long (the default of --min-request-timeout). */
  localWatchSecondsMin: 1_800,
  /** Milliseconds after a watch in process that delivered nothing before the next one; doubles up to the maximum of client-go's reflectors. */
  localWatchRetryMs: 100,
  localWatchRetryMsMax: 30_000,
  /** Milliseconds that a read waits for a future revision (upstream: blockTimeout). */
  revisionWaitMs: 3_000,
  /** Milliseconds that a watch of ownership waits until the cache has a new kind; then it watches the store. */
  watchJoinMs: 10_000,
});
