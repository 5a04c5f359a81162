/**
 * Every bound on what the server holds in memory, reads or works on at once, and waits for, named with its unit. Tests try each at the
 * bound and one past it. Lengths that the API itself prescribes stand with its rules, constants of protocols with their codecs;
 * `metrics/`, which imports nothing, has its own.
 */
export const limits = Object.freeze({
  /** Largest request body (kube-apiserver's MaxRequestBodyBytes). */
  bodyBytesMax: 3 * 1024 * 1024,
  /** Deepest nesting of a JSON, YAML or CBOR document. */
  documentDepthMax: 10_000,
  /** What one list and one map of CBOR may say that they have; bytes run out before. */
  cborElementsMax: 2 ** 31 - 1,
  cborPairsMax: 2 ** 21,
  /** Deepest nesting of structs in structs that decoders follow; only schemas that contain themselves come near. */
  typedDepthMax: 1000,
  /** Unknown and duplicate fields that one body has reported (upstream's decoder keeps as many). */
  strictFindingsMax: 100,
  /** Unknown fields that one strategic merge patch has reported (upstream has no bound). */
  convertedFindingsMax: 10_000,
  /** Text of the repeated keys that one YAML document has reported, in UTF-16 units; further ones are counted only. */
  yamlDuplicatesLengthMax: 1024 * 1024,
  /** Text that one YAML document may have once its aliases are written out, in UTF-16 units: several times the largest body. */
  yamlTextLengthMax: 16 * 1024 * 1024,
  /** Operations in one JSON patch. */
  jsonPatchOperationsMax: 10_000,
  /** Bytes that the copies of one JSON patch may add. */
  jsonPatchCopyBytesMax: 3 * 1024 * 1024,
  /** Bodies and stored objects above these run in the heavy thread: reading them would hold up every other connection. */
  inlineBodyBytesMax: 128 * 1024,
  /** URLs longer than these are read one in a turn of the event loop: a selector of 600 kB takes some 100 ms. */
  turnUrlCharactersMin: 16 * 1024,
  /** Bodies above these are read one in a turn of the event loop. */
  turnBodyBytesMin: 16 * 1024,
  inlineObjectBytesMax: 256 * 1024,
  /** Heavy requests of one user that may wait; more are refused with 429. */
  heavyRequestsPerUserMax: 64,
  /** From the abort of a heavy request until its thread is ended, and from the last one until the thread ends by itself. */
  heavyAbortMs: 1_000,
  heavyIdleMs: 30_000,
  /** Heap of the heavy thread above which its garbage is collected after a request. */
  heavyGarbageBytesMax: 32 * 1024 * 1024,
  /** Heap of the heavy thread after a request; above it the next request gets a new thread. */
  heavyHeapBytesMax: 96 * 1024 * 1024,
  /** A heavy request by the thread's own clock; its deadline on the main thread comes first. */
  heavyRequestMsMax: 3_600_000,
  /** Values of a ConfigMap or Secret together. */
  configBytesMax: 1024 * 1024,
  /** Parameters of a storage class or volume attributes class, and bytes of their names and values together. */
  classParametersMax: 512,
  classParametersBytesMax: 256 * 1024,
  /** The configuration file. */
  configurationFileBytesMax: 1024 * 1024,
  /** Keys and values of an object's annotations together. */
  annotationsBytesMax: 256 * 1024,
  fieldManagerBytesMax: 128,
  /** Entries by update in metadata.managedFields; older ones are put together. */
  updateManagersMax: 10,
  /** What a driver may keep about one attachment, keys and values together. */
  attachmentMetadataBytesMax: 256 * 1024,
  /** Message of what went wrong with a volume. */
  volumeErrorBytesMax: 1024,
  /** Runes of all Warning headers of one answer, and of each once that is exceeded. */
  warningRunesMax: 4096,
  warningRunesTruncated: 256,
  /** Length of the texts of all errors of one object, in UTF-16 units. An answer shows at least one error. */
  fieldErrorsLengthMax: 1024 * 1024,
  /** Errors of one list or map of an object. An answer shows no more; the rest of the list is not checked. */
  fieldErrorsOfListMax: 1024 * 1024 / 32,
  /** Ports, and files of one volume, that a template's warnings compare with each other. */
  comparedForWarningsMax: 256,
  /** How often a create tries another generated name. */
  generateNameTries: 8,
  generatedNameLengthMax: 63,
  /** How often an apply that found no object, and then could not make it, looks again. Other races last as long as their requests. */
  updateTries: 5,
  /** Bytes at which a list or object is compressed for a client that accepts gzip. */
  gzipBytesMin: 128 * 1024,
  /** Pieces in which lists leave. */
  chunkBytes: 64 * 1024,
  /** Room on the disk that the embedded store keeps for deletions and compaction, and the pieces in which it gives it back. */
  storeReserveBytes: 16 * 1024 * 1024,
  storeReservePieceBytes: 4 * 1024 * 1024,
  /** How often a store that is full, or fails, is tried again. */
  storeTrialMs: 2_000,
  /** For how long no call to an endpoint of etcd may be answered before it is reported as unreachable. */
  etcdSilentMs: 1_800,
  /** How long a scrape of metrics waits for the store. Less than Prometheus' timeout. */
  scrapeStoreMs: 2_000,
  /** Time between two calls that test whether a member of etcd that was left for another answers again. */
  etcdMemberTrialMs: 5_000,
  /** What one watcher may have waiting, if it takes nothing for so long, before it is closed. */
  watchQueueBytesMax: 16 * 1024 * 1024,
  watchStalledMs: 1_000,
  /** Bytes up to which the frames of one watch are joined into one write. */
  watchPieceBytes: 256 * 1024,
  /** Milliseconds from the first check of a watch that seems stuck to its end: time for the process to see what clients have read. */
  watchLastTurnMs: 100,
  /** Watches that one turn of the event loop serves. */
  watchesPerTurnMax: 128,
  /** Waiting watches from which on events are gathered, milliseconds for each of them, and milliseconds at most. */
  gatherWatchesMin: 32,
  gatherMsPerWatch: 0.2,
  gatherMsMax: 25,
  /** Entries that one step of a list handles; other requests run between two steps. */
  listStepEntriesMax: 256,
  /**
   * Milliseconds of the wait that readers of the newest state share, in which their signals and timeouts are not checked: a signal and
   * timers for each reader would cost more than the shared round trip, which takes about a millisecond.
   */
  sharedWaitMs: 100,
  /** Bytes of cached entries in other forms than the stored one. */
  formsBytesMax: 64 * 1024 * 1024,
  /** Changes between two states of a kind that are kept for exact reads. */
  snapshotEventsMax: 256,
  /** Lists of one kind that are read in chunks at one time, each of which holds its state. */
  pinnedListsMax: 32,
  /** Bytes of JSON of the decoded objects that are kept for the next write. */
  recentObjectsBytesMax: 2 * 1024 * 1024,
  /** Bytes of frames that are kept for watches that have not begun. */
  sharedFramesBytesMax: 8 * 1024 * 1024,
  /** Writes of this server whose events have not arrived yet; an event beyond them is decoded. */
  ownWritesMax: 1024,
  /** Sets of labels and fields that entries share. When it is full, a new table starts. */
  internedAttributesMax: 100_000,
  /** Values of one watch selector in the index. A selector with more is evaluated at every change. */
  watchTokensMax: 16,
  /** Bytes, and entries at most and at first, that filling the cache reads at once. */
  fillPageBytes: 4 * 1024 * 1024,
  fillPageEntriesMax: 500,
  fillPageEntriesFirst: 16,
  /** Entries that one turn of the event loop decodes during a fill. */
  fillTurnEntriesMax: 100,
  /** Longest pause before the cache tries again to follow the store. */
  cacheRetryMsMax: 5_000,
  /** Bytes of the messages of one protobuf list that are kept between measuring and sending; others are made twice. */
  listMessagesBytesMax: 1024 * 1024,
  /** Between two bookmarks of a watch in which nothing happens. */
  bookmarkEveryMs: 60_000,
  /** From the last bookmark of a watch to its planned end; a watch that lasts no longer gets none. */
  bookmarkBeforeEndMs: 2_000,
  /** Seconds: minimum duration of a watch in process; the maximum is twice as long (the default of --min-request-timeout). */
  localWatchSecondsMin: 1_800,
  /** Milliseconds that a read waits for a future revision (upstream: blockTimeout). */
  revisionWaitMs: 3_000,
  /** Bytes and number of the embedded store's newest events that are kept in memory, and how many one watch takes at once. */
  recentEventsBytesMax: 16 * 1024 * 1024,
  recentEventsMax: 16_384,
  recentEventsTakenMax: 1024,
  /** Calls, and their bytes, that share one run of the embedded store, and calls that may wait for one. */
  storeRunCallsMax: 512,
  storeRunBytesMax: 8 * 1024 * 1024,
  storeCallsWaitingMax: 65_536,
  /** Bytes of the memory for one direction between the main thread and that of the embedded store: hundreds of commits of the usual size.
   *  Unused pages take no memory. */
  storeLaneBytes: 1024 * 1024,
  /** Milliseconds between two compactions of the store, and the minimum age of compacted history (kube-apiserver's default). */
  compactionMs: 5 * 60 * 1000,
  /** One value of the embedded store (etcd's --max-request-bytes). */
  storeValueBytesMax: 1.5 * 1024 * 1024,
  /** Keys that expire, revisions that are swept and bytes of history that are read in one run of the embedded store. */
  expireKeysMax: 500,
  sweepRevisionsMax: 2000,
  historyBytesMax: 4 * 1024 * 1024,
  /** Revisions that are swept at once on a full disk: each run has to fit into a piece of the reserve. */
  sweepRevisionsWhenFullMax: 64,
  /** Keys that one request reads from etcd; longer lists take several at one revision. */
  rangeKeysMax: 5000,
  /** Keys on one lease of etcd, and seconds that a key may live longer than its time to live. */
  leaseKeysMax: 1000,
  leaseSlackSecondsMax: 60,
  /** Milliseconds: to connect to etcd, of one call unless settings say otherwise, between two keepalive pings (kube-apiserver's value),
   *  and before an attempt after all endpoints have failed. */
  etcdConnectMs: 5_000,
  etcdCallMs: 30_000,
  etcdKeepaliveMs: 30_000,
  etcdRetryMs: 50,
  /** Milliseconds. A timer later than the first was delayed by this process, so a missing answer proves nothing; it is checked again after
   *  the second. */
  etcdTimerLateMs: 500,
  etcdSilentCheckMs: 100,
  /** Milliseconds before a watch of etcd that is behind requests progress: usually, and for a new watch. Events usually arrive within two
   *  milliseconds of the commit, but etcd synchronises new watches only ten times a second. A request costs a message, on old servers a
   *  write. */
  progressDelayMs: 50,
  progressFirstDelayMs: 400,
  /** Receive windows of the HTTP/2 client of etcd, in bytes: of one stream, and of the connection. */
  etcdStreamWindowBytes: 8 * 1024 * 1024,
  etcdConnectionWindowBytes: 32 * 1024 * 1024,
  /** Decoded header blocks of etcd that are cached, and bytes of one of them. */
  etcdKnownHeadersMax: 16,
  etcdKnownHeaderBytesMax: 256,
  /** Coded headers of one answer of etcd, and the frames that they come in. */
  etcdHeaderBytesMax: 65_536,
  etcdHeaderFramesMax: 64,
  /** What etcd may leave unread of the acknowledgements that it is sent. */
  etcdUnreadBytesMax: 1024 * 1024,
  /** Objects of one page that background work reads, at most and at first, and UTF-16 units of one. */
  listedItemsMax: 100,
  listedItemsFirst: 10,
  listedLength: 4 * 1024 * 1024,
  /** Objects that a controller works on at one time. */
  controllerPassesMax: 10,
  /** Keys of one work queue: those that wait, and those that wait for a time. */
  workQueueKeysMax: 1_000_000,
  /** Events of one controller that wait to be written (client-go), and that may still become a series. */
  eventsWaitingMax: 1000,
  eventSeriesMax: 4096,
  /** For how long a start waits for its controllers. */
  startedMsMax: 2_000,
  /** Deepest path of a managed field. */
  fieldSetDepthMax: 1000,
  /** Request line and headers together (Go's http.DefaultMaxHeaderBytes). */
  headerBytesMax: 1024 * 1024,
  /** Headers of one request. */
  headersMax: 1000,
  /** Requests that one HTTP/2 connection may have open (Go's default), unless settings say otherwise. */
  streamsPerConnectionMax: 250,
  /** Requests that one HTTP/1.1 connection may have open; more means a client that does not wait for answers. */
  pipelinedRequestsMax: 32,
  /** Requests of one HTTP/2 connection that one turn of the event loop begins with, and pieces of their bodies that it reads. */
  requestsPerTurnMax: 32,
  piecesPerTurnMax: 256,
  /** HTTP/2 frames of one connection that one turn of the event loop reads (Deno). */
  framesPerTurnMax: 64,
  /** Requests that an HTTP/2 client may reset before their answers begin, more than those that were answered (Go: four times the
   *  streams that may be open). */
  earlyResetsMax: 500,
  /** What Node may hold for an HTTP/2 connection, in mebibytes for each request that it may have open: its own default, 10 for the
   *  connection, is too little for one full of watches. */
  streamMemoryMebibytes: 1,
  /** What is still read of a body after its request was answered, before the connection is broken off. */
  discardBytesMax: 16 * 1024 * 1024,
  /** Milliseconds that an answer waits for the rest of a discarded body. */
  discardMs: 100,
  /** Maximum bytes of one write to a connection. A write is encrypted as a whole and held until its client has read it, so large chunks
   *  would delay all other clients, and cost their size for each client. */
  writeBytesMax: 128 * 1024,
  /** HTTP/2 sessions that get a GOAWAY in one step of a shutdown, and milliseconds between two steps. */
  goawaysPerStep: 16,
  goawayStepMs: 20,
  /** Bytes of a body in chunks for each byte of its content, and bytes beside those. Go's server allows 16 bytes for each chunk beside
   *  its content and two more for each byte of it, and 16 KiB. */
  chunkBytesPerByteMax: 19,
  chunkOverheadBytesMax: 16 * 1024,
  /** What is read of a body in chunks before other connections get their turn. */
  chunkedTurnBytes: 64 * 1024,
  /** For how long an HTTP/1.1 connection is left to a client that may still send, to read its last answer (Go's server too). */
  lingerMs: 500,
  /** From the opening of a connection to the end of its TLS handshake. */
  handshakeMs: 10_000,
  /** From there to its first request (kube-apiserver's ReadHeaderTimeout). */
  firstRequestMs: 32_000,
  /** Between two requests on a connection (kube-apiserver's IdleTimeout). */
  idleMs: 90_000,
  /** For how long a client may take nothing of what an answer has for it. */
  stalledMs: 60_000,
  /** UTF-16 units of one text in the log. */
  logTextLengthMax: 4096,
  /** What of a client's Audit-ID is logged (upstream's bound), and what of it is honoured at all. */
  auditIdLoggedMax: 64,
  auditIdLengthMax: 1024,
  /** Certificates of a client that are read, its own included. */
  peerChainLengthMax: 16,
  /** Signatures that the search for a chain of certificates may check (Go's crypto/x509). */
  signatureChecksMax: 100,
  /** Names times name constraints that one chain may compare. */
  nameConstraintComparisonsMax: 250_000,
  /** Bits of RSA keys that may sign (Go's crypto/rsa), and that client certificates may have (Go's crypto/tls). */
  rsaKeyBitsMin: 1024,
  rsaKeyBitsMax: 8192,
  /** Client certificates whose verdict is remembered. */
  peerVerdictsMax: 1000,
  /** Tokens that a cache of authentications remembers, and UTF-16 units of a user that it remembers. */
  cachedTokensMax: 16_384,
  cachedUserLengthMax: 16_384,
  /** Different tokens that one authenticator checks at the same time; further ones are not accepted. */
  tokenLookupsMax: 1_000,
  /** Issuers of tokens that one configuration may name (kube-apiserver's bound), and groups that a token may name. */
  jwtIssuersMax: 64,
  claimGroupsMax: 5_000,
  /** UTF-16 units of a token of an issuer. */
  jwtLengthMax: 128 * 1024,
  /** Bytes of a document of an issuer, milliseconds to fetch it, and redirects on the way (Go's http.Client). */
  issuerDocumentBytesMax: 512 * 1024,
  issuerFetchMs: 10_000,
  issuerRedirectsMax: 10,
  /** Milliseconds between two attempts to discover an issuer (kube-apiserver's value). */
  discoveryRetryMs: 10_000,
  /** Keys of one set. */
  keysOfSetMax: 100,
  /** Fetches of the keys of one issuer that may follow each other at once, and milliseconds after which one more may. */
  keyFetchBurst: 5,
  keyFetchMs: 10_000,
  /** Milliseconds after which keys in use are fetched again, so that revoked ones go. */
  keySetAgeMs: 10 * 60_000,
  /** Milliseconds between two log lines about the same failure of requests. */
  errorLogMs: 10_000,
  /** UTF-16 units of a token of a service account that is looked at, and of its header; longer text is no token. */
  tokenLengthMax: 128 * 1024,
  tokenHeaderLengthMax: 4096,
  /** Tokens of service accounts whose good signature is remembered, and the length up to which one is, in UTF-16 units. */
  rememberedTokensMax: 4096,
  rememberedTokenLengthMax: 8192,
  /** Secrets with legacy tokens whose last use is being recorded at the same time; further uses are recorded with a later request. */
  tokenUsesMax: 64,
  /** Upper factor on the pause between two attempts for the leader lease; each attempt takes a random factor between 1 and this. */
  electionRetryJitter: 1.2,
  /** Milliseconds before a failed watch of the cluster in front is opened again; doubles with each failure. */
  clusterRetryMs: 1_000,
  clusterRetryMsMax: 60_000,
  /** Size of a kubeconfig file. */
  kubeconfigBytesMax: 1024 * 1024,
  /** Size of an answer of a webhook or of the cluster in front, and of one event of a watch there. */
  remoteAnswerBytesMax: 3 * 1024 * 1024,
  /** Connections to one webhook or cluster; further requests wait. */
  remoteConnectionsMax: 64,
  /** Milliseconds for which credentials of a webhook or cluster are used before their files are read again. */
  remoteCredentialsMs: 10_000,
  /** Milliseconds that one request to a webhook may take (kube-apiserver's timeout), and that a Retry-After of it may ask to wait. */
  remoteCallMs: 30_000,
  remoteRetryAfterMsMax: 30_000,
});
