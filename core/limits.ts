/**
 * All bounds of memory, work and waits of the server, named with their units. Tests check each bound and one past it. Lengths that the API
 * prescribes are with its rules, constants of protocols with their codecs, and bounds of `metrics/`, which imports nothing, in `metrics/`.
 */
import { budgetLimits } from "./budget-limits.ts";
import { cacheLimits } from "./cache-limits.ts";
import { celLimits } from "./cel-limits.ts";
import { compressionLimits } from "./compression-limits.ts";
import { conversionLimits } from "./conversion-limits.ts";
import { fileLimits } from "./file-limits.ts";
import { manifestLimits } from "./manifest-limits.ts";
import { programLimits } from "./program-limits.ts";
import { http2Limits } from "./http2-limits.ts";
import { yamlLimits } from "./yaml-limits.ts";

export const limits = Object.freeze({
  /** Largest request body (kube-apiserver's MaxRequestBodyBytes). */
  bodyBytesMax: 3 * 1024 * 1024,
  /** Deepest nesting of a JSON or CBOR document, and of a YAML document after expansion of its aliases. */
  documentDepthMax: 10_000,
  /** Declared number of items of a CBOR list and of pairs of a CBOR map. Larger than any body allows. */
  cborElementsMax: 2 ** 31 - 1,
  cborPairsMax: 2 ** 21,
  /** Maximum nesting of structs in decoders. Only recursive schemas come near it: those of definitions, whose folds are recursive. */
  typedDepthMax: 500,
  /** Unknown and duplicate fields reported for one body (as upstream's decoder). */
  strictFindingsMax: 100,
  /** Unknown fields reported for one strategic merge patch (upstream has no bound). */
  convertedFindingsMax: 10_000,
  /** Operations in one JSON patch. */
  jsonPatchOperationsMax: 10_000,
  /** Bytes that `copy` operations of one JSON patch may add. */
  jsonPatchCopyBytesMax: 3 * 1024 * 1024,
  /** UTF-16 units of the JSON that one mutation of an admission policy makes, and of the JSON of the object after it. */
  mutationLengthMax: 3 * 1024 * 1024,
  /** Time of expressions of policies and webhooks for one request after which other requests get a turn of the event loop. */
  expressionTurnMs: 5,
  /** Bytes of bodies and stored objects above which requests run in the heavy thread, because decoding them would block other connections. */
  inlineBodyBytesMax: 128 * 1024,
  /** URLs longer than this are parsed one per turn of the event loop: a selector of 600 kB takes about 100 ms. */
  turnUrlCharactersMin: 16 * 1024,
  /** Bodies above this are decoded one per turn of the event loop. */
  turnBodyBytesMin: 16 * 1024,
  inlineObjectBytesMax: 256 * 1024,
  /** UTF-16 units of the rules in one definition, and a quarter of those of its patterns, above which it is validated in the heavy thread:
   *  parsing so many takes about 40 ms. */
  inlineExpressionsLengthMax: 32 * 1024,
  /** Waiting heavy requests of one user. More are rejected with 429. */
  heavyRequestsPerUserMax: 64,
  /** Heavy requests that have begun: one runs, the others wait for webhooks; and how many of them may wait for one webhook. */
  heavyJobsMax: 16,
  heavyCallsOfWebhookMax: 4,
  /** Time from the abort of a heavy request to the termination of its thread, and idle time after which the thread ends. */
  heavyAbortMs: 1_000,
  heavyIdleMs: 30_000,
  /** Growth of the heavy thread's heap since a collection after which garbage is collected, between requests. */
  heavyGarbageBytesMax: 32 * 1024 * 1024,
  /** Heap of the heavy thread after a request above which the next request gets a new thread. */
  heavyHeapBytesMax: 96 * 1024 * 1024,
  /** Maximum duration of a heavy request in its thread. The deadline on the main thread is earlier. */
  heavyRequestMsMax: 3_600_000,
  /** Cost units of one evaluation of a CEL expression (upstream's per call limit). */
  celCallCostMax: 1_000_000,
  /** Cost units of all rules of a schema that are evaluated for one object. */
  celObjectCostMax: 10_000_000,
  /** Cost units of the expressions of all policies, and of the match conditions of all webhooks, for one request. */
  celRequestCostMax: 40_000_000,
  /** Cost units of all match conditions of a policy or a webhook for one request. */
  celConditionsCostMax: 2_500_000,
  /** Evaluations of rules for one object: a rule of constants costs no units. */
  celObjectEvaluationsMax: 2_000_000,
  /** Estimated cost units of one rule of a definition: the worst case of all of its evaluations for one object. */
  celRuleCostMax: 10_000_000,
  /** Estimated cost units of all rules in the schema of one version of a definition. */
  celDefinitionCostMax: 100_000_000,
  /** Bytes of a message that an expression makes. */
  celMessageBytesMax: 5 * 1024,
  /**
   * Steps of one evaluation of a CEL expression, beside its cost: a step is some tens of nanoseconds, as for an element that is visited. It
   * bounds what is cheap in cost units, such as comparing large lists in a loop.
   */
  celCallStepsMax: 20_000_000,
  /** Steps of all evaluations of rules for one object, and of finding the values that have not changed. */
  celObjectStepsMax: 40_000_000,
  /** Estimated instructions of a regular expression in CEL or a schema: `[a-z]{1000}` has a thousand. Each takes about 100 bytes and a
   *  microsecond. */
  celPatternSizeMax: 100_000,
  /** The same of all these regular expressions that are kept compiled. The oldest are compiled again when they are used. */
  celPatternsSizeMax: 500_000,
  /** Bytes of the states that one compiled regular expression keeps between two matches; they are made again when they are needed. */
  celAutomatonBytesMax: 1024 * 1024,
  /** Parameters in the query of a URL in a CEL expression. With more, upstream's `getQuery` returns an empty map. */
  urlQueryParametersMax: 10_000,
  /** Total size of the values of a ConfigMap or Secret. */
  configBytesMax: 1024 * 1024,
  /** Number of parameters of a storage class or volume attributes class, and total bytes of their names and values. */
  classParametersMax: 512,
  classParametersBytesMax: 256 * 1024,
  /** Size of a file of settings, keys or certificates, and the milliseconds in which it must be read. */
  settingFileBytesMax: 16 * 1024 * 1024,
  fileReadMs: 5_000,
  /** Milliseconds in which a plugin module must be loaded, and those for a whole reload of the configuration. */
  pluginLoadMs: 10_000,
  reloadMs: 60_000,
  /** Milliseconds for which the end of a server waits for reloads in progress. */
  reloadEndMs: 2_000,
  /** Size of the configuration file. */
  configurationFileBytesMax: 1024 * 1024,
  /** Total size of keys and values of an object's annotations. */
  annotationsBytesMax: 256 * 1024,
  fieldManagerBytesMax: 128,
  /** Entries with the operation Update in metadata.managedFields. Older ones are merged. */
  updateManagersMax: 10,
  /** Total size of keys and values of the metadata of a volume attachment. */
  attachmentMetadataBytesMax: 256 * 1024,
  /** Message of a volume error. */
  volumeErrorBytesMax: 1024,
  /** Total runes of the Warning headers of a response, and runes of each warning if the total is exceeded. */
  warningRunesMax: 4096,
  warningRunesTruncated: 256,
  /** Total UTF-16 units of the validation errors of one object. A response has at least one error. */
  fieldErrorsLengthMax: 1024 * 1024,
  /** Validation errors of one list or map. The rest of the list is not checked. */
  fieldErrorsOfListMax: 1024 * 1024 / 32,
  /** Ports, and files of one volume, that are compared for the warnings of a template. */
  comparedForWarningsMax: 256,
  /** UTF-16 units of a JSON path of a column or selectable field, and values that one evaluation visits. A path beyond them finds nothing. */
  jsonPathLengthMax: 16 * 1024,
  jsonPathStepsMax: 100_000,
  /**
   * Steps (`budget.ts`) of all cells of one row of a table, of all rows of one answer, and of each further row above that. Cells beyond them are
   * null.
   */
  tableRowStepsMax: 50_000,
  tableStepsMax: 20_000_000,
  tableFurtherRowStepsMax: 1_000,
  /** Attempts of a create to find an unused generated name. */
  generateNameTries: 8,
  generatedNameLengthMax: 63,
  /** Attempts of an apply whose object was absent and then could not be created. Other races are retried until the request ends. */
  updateTries: 5,
  /** Bytes of one chunk of a list response. */
  chunkBytes: 64 * 1024,
  /** Disk space that the embedded store reserves for deletions and compaction, and the unit in which it releases it. */
  storeReserveBytes: 16 * 1024 * 1024,
  storeReservePieceBytes: 4 * 1024 * 1024,
  /** Interval of retries of a full or failed store. */
  storeTrialMs: 2_000,
  /** Time without a response of an etcd endpoint after which it is reported as unreachable. */
  etcdSilentMs: 1_800,
  /** Time that a metrics scrape waits for the store. Less than the timeout of Prometheus. */
  scrapeStoreMs: 2_000,
  /** Interval of calls that check whether a failed etcd member is available again. */
  etcdMemberTrialMs: 5_000,
  /** Bytes and number of the newest events of the embedded store in memory, and events that one watch reads at once. */
  recentEventsBytesMax: 16 * 1024 * 1024,
  recentEventsMax: 16_384,
  recentEventsTakenMax: 1024,
  /** Calls and bytes of one batch of the embedded store, and waiting calls. */
  storeRunCallsMax: 512,
  storeRunBytesMax: 8 * 1024 * 1024,
  storeCallsWaitingMax: 65_536,
  /** Bytes of shared memory for each direction between the main thread and that of the embedded store. Unused pages take no memory. */
  storeLaneBytes: 1024 * 1024,
  /** A difference between the wall clock and the monotonic one, since the last look, that counts as a jump; and the milliseconds between two looks. */
  clockJumpMs: 5_000,
  clockLookMs: 1_000,
  /** Milliseconds after a jump of the wall clock for which expiry, renewals and removals by age go on with the time from before it. */
  clockDoubtMs: 10 * 60 * 1000,
  /** Milliseconds between two compactions of the store, and the minimum age of compacted history (kube-apiserver's default). */
  compactionMs: 5 * 60 * 1000,
  /** Size of one value in the embedded store (etcd's --max-request-bytes). */
  storeValueBytesMax: 1.5 * 1024 * 1024,
  /** Expired keys, compacted revisions and bytes of history read in one batch of the embedded store. */
  expireKeysMax: 500,
  sweepRevisionsMax: 2000,
  historyBytesMax: 4 * 1024 * 1024,
  /** Revisions compacted at once on a full disk: each batch must fit into `storeReservePieceBytes`. */
  sweepRevisionsWhenFullMax: 64,
  /** Keys of one range request to etcd. Longer lists take several requests at one revision. */
  rangeKeysMax: 5000,
  /** The same without values. */
  rangeKeysOnlyMax: 50_000,
  /** Keys of one etcd lease, and seconds that a key may exceed its time to live. */
  leaseKeysMax: 1000,
  leaseSlackSecondsMax: 60,
  /** Milliseconds: connection timeout of etcd, default timeout of a call, interval of keepalive pings (kube-apiserver's value), and delay
   *  after all endpoints have failed. */
  etcdConnectMs: 5_000,
  etcdCallMs: 30_000,
  etcdKeepaliveMs: 30_000,
  etcdRetryMs: 50,
  /** Milliseconds. A timer later than the first was delayed here: a missing answer proves nothing, and is checked again after the second. */
  etcdTimerLateMs: 500,
  etcdSilentCheckMs: 100,
  /** Milliseconds before a watch of etcd that is behind requests progress: usually, and for a new watch. Events usually arrive within two
   *  milliseconds of the commit, but etcd synchronises new watches only ten times a second. A request costs a message, on old servers a
   *  write. The delay doubles up to the maximum while requests have no effect. Of such writes only some are in flight at a time: each raises
   *  the revision that other watches are behind, and etcd refuses all writes when it has not applied 5,000. */
  progressDelayMs: 50,
  progressDelayMsMax: 400,
  progressFirstDelayMs: 400,
  progressWritesMax: 16,
  /** Receive windows of the HTTP/2 client of etcd, in bytes: of one stream, and of the connection. */
  etcdStreamWindowBytes: 8 * 1024 * 1024,
  etcdConnectionWindowBytes: 32 * 1024 * 1024,
  /** Decoded header blocks of etcd that are cached, and bytes of one of them. */
  etcdKnownHeadersMax: 16,
  etcdKnownHeaderBytesMax: 256,
  /** Bytes, decoded bytes and frames of the headers of one etcd response. */
  etcdHeaderBytesMax: 65_536,
  etcdHeaderListBytesMax: 256 * 1024,
  etcdHeaderFramesMax: 64,
  /** Maximum bytes of acknowledgements that etcd has not read. */
  etcdUnreadBytesMax: 1024 * 1024,
  /** Objects of one page and of the first page of a list of a controller, and UTF-16 units of one page. */
  listedItemsMax: 100,
  listedItemsFirst: 10,
  listedLength: 4 * 1024 * 1024,
  /** Milliseconds of such a list after which other requests run. */
  listedTurnMs: 10,
  /** Objects that a controller processes concurrently. */
  controllerPassesMax: 10,
  /** Duration of one read or write of an admission step, and of the wait for the charge of a quota. */
  admissionCallMs: 10_000,
  /** Kinds that one rule of a policy adds to those whose types its expressions are checked against (upstream's). */
  policyCheckedKindsMax: 10,
  /** Characters of an expression of a policy that is type checked for the status: a longer one would hold the event loop. */
  policyCheckedCharactersMax: 8 * 1024,
  /** Characters of all warnings in the status of a policy. Mistakes that do not fit are left out. */
  policyWarningsCharactersMax: 256 * 1024,
  /** Milliseconds of type checking of policies in one turn of the event loop; a single expression is not divided. */
  policyCheckTurnMs: 4,
  /** Resources and operations whose candidates an index of match rules keeps. */
  ruleIndexKeysMax: 10_000,
  /** Attempts to charge a quota that other servers change at the same time. */
  quotaTriesMax: 50,
  /** Quotas of which a server remembers its own last write. */
  quotasRememberedMax: 1_000,
  /**
   * Time after the last charge of a quota before its usage may be lowered: a create that was charged has been stored by then, and is counted.
   */
  quotaSettleMs: 3_000,
  /** Period of the recalculation of all quotas. */
  quotaResyncMs: 300_000,
  /** Namespaces with quotas of a resource above which one watch of all namespaces replaces one for each. */
  quotaNamespaceWatchesMax: 50,
  /** Keys of one work queue, waiting and delayed. */
  workQueueKeysMax: 1_000_000,
  /** Events of one controller that wait to be written (as client-go), and events that can become a series. */
  eventsWaitingMax: 1000,
  eventSeriesMax: 4096,
  /** Milliseconds after its start for which a controller waits for its rights, and between two attempts. */
  localAuthorizationMs: 10_000,
  localAuthorizationRetryMs: 20,
  /** Milliseconds that controllers wait for the start hooks of authorizers. */
  controllersWaitMsMax: 1_000,
  /** Time that the start waits for controllers. */
  startedMsMax: 2_000,
  /** Time between two looks at whether a server that has just started is quiet. */
  quietMs: 2_000,
  /** CPU time of a quiet server in that time. */
  quietCpuMs: 50,
  /** Number of looks. A server that is busy all this time keeps the garbage of its start until its engine needs the memory. */
  quietLooksMax: 150,
  /** Heap above which the garbage of a start stays: its collection would stop requests for longer than it is worth. */
  startGarbageBytesMax: 64 * 1024 * 1024,
  /** Levels of a value without a schema whose fields have owners. Deeper ones are owned as one value. */
  deducedDepthMax: 400,
  /** Characters of the field sets that stored objects share, of each of them, and its depth. */
  sharedFieldSetsCharactersMax: 256 * 1024,
  sharedFieldSetCharactersMax: 8 * 1024,
  sharedFieldSetDepthMax: 64,
  /** Maximum depth of the path of a managed field: in a schema, and in a value without one. */
  fieldSetDepthMax: 1000,
  /** Total size of request line and headers (Go's http.DefaultMaxHeaderBytes). */
  headerBytesMax: 1024 * 1024,
  /** Headers of one request. */
  headersMax: 1000,
  /** Pipelined requests of one HTTP/1.1 connection. */
  pipelinedRequestsMax: 32,
  /** Bytes of one frame and of all frames that a client sends over the websocket of a watch, and bytes that wait to be read above which its pings have no answer. */
  webSocketFrameBytesMax: 64 * 1024,
  webSocketReceivedBytesMax: 1024 * 1024,
  webSocketPongBacklogBytesMax: 16 * 1024,
  /** Bytes of a body that are read after the response, before the connection is closed. */
  discardBytesMax: 16 * 1024 * 1024,
  /** Milliseconds that a response waits for the rest of a discarded body. */
  discardMs: 100,
  /** Maximum bytes of one write to a connection. A write is encrypted as a whole and kept in memory until its client has read it, so large
   *  writes would delay other clients and take memory for each client. */
  writeBytesMax: 128 * 1024,
  /** Bytes of a chunked body per byte of content, and additional bytes. Go's server allows 16 bytes per chunk and two per byte of content in
   *  addition to the content, and 16 KiB. */
  chunkBytesPerByteMax: 19,
  chunkOverheadBytesMax: 16 * 1024,
  /**
   * Bytes of one HTTP/1.1 body that are read without turns; bytes of larger bodies that one turn of the event loop reads, over all
   * connections; bodies that continue in the next turn.
   */
  bodyUnpacedBytes: 64 * 1024,
  bodyTurnBytes: 256 * 1024,
  bodiesPerTurnMax: 4,
  /** Bytes of a chunked body read before other connections are served. */
  chunkedTurnBytes: 64 * 1024,
  /** Time that an HTTP/1.1 connection stays open after its last response while the client may still send (as Go's server). */
  lingerMs: 500,
  /**
   * Descriptors that connections leave to the rest of the process: a share of the limit of open files, and at least those of connections that
   * arrive while others are being closed, up to half of the limit.
   */
  descriptorsKeptShare: 1 / 8,
  descriptorsKeptMin: 640,
  /** The smallest maximum of connections that is derived from their number when accepting failed, where the limit of open files is not known. */
  connectionsLearnedMin: 256,
  /** Share of the connections without a request in progress that are closed at once when there are too many. */
  connectionsClosedShare: 1 / 64,
  /** Timeout of the TLS handshake. */
  handshakeMs: 10_000,
  /** Time from the handshake to the first request (kube-apiserver's ReadHeaderTimeout). */
  firstRequestMs: 32_000,
  /** Time between two requests on a connection (kube-apiserver's IdleTimeout). */
  idleMs: 90_000,
  /** Time without reads of a client after which its pending response is aborted. */
  stalledMs: 60_000,
  /** UTF-16 units of one string in the log. */
  logTextLengthMax: 4096,
  /** Logged length of a client's Audit-ID (upstream's bound), and maximum length of an accepted one. */
  auditIdLoggedMax: 64,
  /** Spans of parts of one traced request, characters of a value in a span, and milliseconds for the last spans when a server ends. */
  tracedPartsMax: 128,
  tracedTextMax: 4096,
  tracingCloseMsMax: 2_000,
  auditIdLengthMax: 1024,
  /** Certificates of a client's chain that are read, including the client certificate. */
  peerChainLengthMax: 16,
  /** Signatures that the search for a chain of certificates may check (Go's crypto/x509). */
  signatureChecksMax: 100,
  /** Comparisons of names with name constraints in one chain. */
  nameConstraintComparisonsMax: 250_000,
  /** Minimum bits of signing RSA keys (Go's crypto/rsa), and maximum bits in client certificates (Go's crypto/tls). */
  rsaKeyBitsMin: 1024,
  rsaKeyBitsMax: 8192,
  /** Client certificates with a cached verification result. */
  peerVerdictsMax: 1000,
  /** Tokens in the cache of authentications, and UTF-16 units of a cached user. */
  cachedTokensMax: 16_384,
  cachedUserLengthMax: 16_384,
  /** Different tokens that one authenticator checks at the same time; further ones are not accepted. */
  tokenLookupsMax: 1_000,
  /** Issuers of tokens that one configuration may name (kube-apiserver's bound), and groups that a token may name. */
  jwtIssuersMax: 64,
  claimGroupsMax: 5_000,
  /** UTF-16 units of a token of an issuer. */
  jwtLengthMax: 128 * 1024,
  /** Bytes of a document of an issuer, milliseconds to fetch it, and redirects to other origins on the way (Go's http.Client). */
  issuerDocumentBytesMax: 512 * 1024,
  issuerFetchMs: 10_000,
  issuerRedirectsMax: 10,
  /** Milliseconds between two attempts to discover an issuer (kube-apiserver's value). */
  discoveryRetryMs: 10_000,
  /** Keys of one set. */
  keysOfSetMax: 100,
  /** Fetches of the keys of one issuer without a pause; `keyFetchMs` is the time after which one more is allowed. */
  keyFetchBurst: 5,
  /** Tokens that wait for the keys of one issuer. Less than `tokenLookupsMax`, so that tokens of one issuer cannot block all others. */
  keyFetchWaitersMax: 250,
  keyFetchMs: 10_000,
  /** Milliseconds after which keys in use are fetched again, so that revoked keys are removed. */
  keySetAgeMs: 10 * 60_000,
  /** Milliseconds for the review of a token by another server, with all attempts (kube-apiserver's lookup), and UTF-16 units of its error. */
  tokenReviewMs: 30_000,
  tokenReviewErrorLengthMax: 1024,
  /** Milliseconds between two log lines about the same failure of requests. */
  errorLogMs: 10_000,
  /** Log lines in `errorLogMs` about credentials that were not accepted, and UTF-16 units of such a reason. */
  refusalLinesMax: 10,
  refusalLengthMax: 1024,
  /** UTF-16 units of a service account token and of its header. Longer text is not treated as a token. */
  tokenLengthMax: 128 * 1024,
  tokenHeaderLengthMax: 4096,
  /** Bytes of the audiences of a new token, as JSON: a longer token would exceed the bound of verification. */
  tokenAudiencesBytesMax: 64 * 1024,
  /** Audiences in the error message of a rejected token. */
  namedAudiencesMax: 100,
  /** Service account tokens with a cached valid signature, and the maximum length of such a token in UTF-16 units. */
  rememberedTokensMax: 4096,
  rememberedTokenLengthMax: 8192,
  /** Secrets with legacy tokens whose last use is being recorded at the same time; further uses are recorded with a later request. */
  tokenUsesMax: 64,
  /** Upper factor on the pause between two attempts for the leader lease; each attempt takes a random factor between 1 and this. */
  electionRetryJitter: 1.2,
  /** Seconds of one watch of the cluster in front, and milliseconds after which it counts as lost: its connection may be dead. */
  clusterWatchSeconds: 60,
  clusterWatchMsMax: 75_000,
  /** Milliseconds before a failed watch of the cluster in front is opened again; doubles with each failure. */
  clusterRetryMs: 1_000,
  clusterRetryMsMax: 60_000,
  /** Milliseconds for one access review, with its retries. */
  accessReviewMs: 60_000,
  /** Concurrent access reviews of one authorizer, and cached responses (kube-apiserver's value). */
  accessReviewsMax: 1_000,
  rememberedReviewsMax: 8_192,
  /** UTF-16 units of the attributes of a request whose review is remembered (kube-apiserver), of its question with the user, of a reason
   *  that is remembered, and of an error. */
  reviewAttributesLengthMax: 10_000,
  reviewKeyLengthMax: 16_384,
  reviewReasonLengthMax: 4_096,
  reviewErrorLengthMax: 1_024,
  /** Match conditions of an authorization webhook (kube-apiserver). */
  matchConditionsMax: 64,
  /** Size of the file of --authorization-config. */
  authorizationConfigBytesMax: 1024 * 1024,
  /** Size of a kubeconfig file. */
  kubeconfigBytesMax: 1024 * 1024,
  /** Size of an answer of a webhook or of the cluster in front, and of one event of a watch there. */
  remoteAnswerBytesMax: 3 * 1024 * 1024,
  /**
   * Bytes of the head of such an answer, with the informational ones before it; their number (Go's http.Client); bytes beside the content of the
   * answer: a fixed number, and a factor on the content.
   */
  remoteHeadBytesMax: 64 * 1024,
  remoteInformationalMax: 5,
  remoteOverheadBytesMax: 16 * 1024,
  remoteBytesPerByteMax: 3,
  /** Redirects of one request within the origin of a remote server (Go's http.Client), and bytes of the content of each. */
  remoteRedirectsMax: 10,
  remoteRedirectBytesMax: 64 * 1024,
  /** Connections to one webhook or cluster; further requests wait. */
  remoteConnectionsMax: 64,
  /** Milliseconds for which credentials of a webhook or cluster are used before their files are read again. */
  remoteCredentialsMs: 10_000,
  /** Timeout of one request to a webhook (kube-apiserver's), and maximum Retry-After that is honored, in milliseconds. */
  remoteCallMs: 30_000,
  remoteRetryAfterMsMax: 30_000,
  /**
   * Calls of one admission webhook in flight, and calls that wait for one of them to end: together less than half of the default of
   * --max-mutating-requests-inflight. Further requests are rejected with 429.
   */
  webhookCallsMax: 48,
  webhookCallsWaitingMax: 32,
  /** Validating webhooks that are called at the same time for one request. */
  webhooksAtOnceMax: 16,
  /**
   * Milliseconds without a response to any call after which an admission webhook counts as stalled: waiting calls fail, and only few calls
   * are made at a time.
   */
  webhookStalledMs: 1_000,
  webhookStalledCallsMax: 16,
  /** UTF-8 bytes of the requests and answers of the calls of one admission webhook in flight, and of one answer. */
  webhookBytesMax: 64 * 1024 * 1024,
  webhookAnswerBytesMax: 8 * 1024 * 1024,
  /** Admission webhooks with open connections; connections of the one that was called longest ago are closed (kube-apiserver's number). */
  webhookClientsMax: 200,
  /** Milliseconds after the last call of an admission webhook after which its connections are closed. */
  webhookIdleMs: 90_000,
  /** UTF-16 units of an answer of a webhook in an error message. */
  webhookExcerptLengthMax: 1024,
  /** The audit policy file, in UTF-16 units. */
  auditPolicyLengthMax: 1024 * 1024,
  /**
   * JSON of the audit events that wait in a buffer or are being delivered, beside the bound on their number, in bytes. Further events are lost
   * and counted.
   */
  auditBufferBytesMax: 64 * 1024 * 1024,
  /** JSON of the events of one batch, if it has more than one event, in bytes: it is encoded in one turn. */
  auditBatchBytesMax: 4 * 1024 * 1024,
  /** JSON of the response that one audit event records, in bytes. Larger ones are left out, with an annotation. */
  auditResponseBytesMax: 16 * 1024 * 1024,
  /** Concurrent batches to the audit webhook; further ones wait in the buffer. */
  auditBatchesMax: 16,
  /** Milliseconds that a shutdown waits for the delivery of audit events. */
  auditDrainMs: 10_000,
  /** UTF-16 units of a user agent in an audit event (kube-apiserver's maxUserAgentLength). */
  auditUserAgentLengthMax: 1024,
  /** Problems of one kind that `thole verify` and `thole import` show; the others are counted. */
  unreadableShownMax: 100,
  /** Errors and kinds that the status page shows, and UTF-16 units of an error's text. */
  recentErrorsMax: 20,
  recentErrorLengthMax: 400,
  shownKindsMax: 300,
  ...budgetLimits,
  ...cacheLimits,
  ...celLimits,
  ...compressionLimits,
  ...conversionLimits,
  ...fileLimits,
  ...manifestLimits,
  ...programLimits,
  ...http2Limits,
  ...yamlLimits,
});
