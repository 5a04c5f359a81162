/** The settings of `start` and `openTestServer`. `npm run docs` makes this file from the table of settings. */

/**
 * Settings by flag name. A setting that is a map on the command line (`feature-gates`, `runtime-config`) is a plain object,
 * `{ WatchList: false }`. Durations are numbers of milliseconds.
 */
export interface PlainSettings {
  /** Address to listen on. Default: 127.0.0.1. */
  readonly "bind-address"?: string;
  /** TLS port to listen on; 0 selects a free port and prints it. Default: 6443. */
  readonly "secure-port"?: number;
  /**
   * Number of processes that serve requests on the port, each on one core; auto: as many as the machine has cores. More than 1 needs
   * --etcd-servers and Linux; auto with the embedded store is 1. Default: 1.
   */
  readonly "workers"?: number | "auto";
  /** Directory of the certificates that the server generates and renews; empty: pki in the data directory. Default: empty. */
  readonly "cert-dir"?: string;
  /** PEM file of the serving certificate, followed by its chain; requires --tls-private-key-file. Default: empty. */
  readonly "tls-cert-file"?: string;
  /** PEM file of the serving certificate's private key. Default: empty. */
  readonly "tls-private-key-file"?: string;
  /** Oldest version of TLS that clients may use: VersionTLS12, which is the default, or VersionTLS13. Default: empty. */
  readonly "tls-min-version"?: string;
  /**
   * Cipher suites for TLS 1.2, such as TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256; empty: those of the runtime. Deno's cannot be chosen: there
   * it has no effect. Default: empty.
   */
  readonly "tls-cipher-suites"?: readonly string[];
  /**
   * Certificate and key for the names in the certificate, or for further ones: cert,key or cert,key:name,*.name. Can be repeated. Paths
   * need a slash. Clients that ask for another name get the serving certificate. Default: empty.
   */
  readonly "tls-sni-cert-key"?: readonly string[];
  /** PEM bundle of CAs for client certificates, in addition to the server's own CA. Default: empty. */
  readonly "client-ca-file"?: string;
  /**
   * PEM bundle of CAs to publish in each namespace as the ConfigMap kube-root-ca.crt; empty publishes none, or with --simulate the server's
   * own. Default: empty.
   */
  readonly "root-ca-file"?: string;
  /**
   * PEM bundle of front proxy CAs. Identity headers are trusted only from clients with a certificate of these CAs; empty disables front
   * proxy authentication. Default: empty.
   */
  readonly "requestheader-client-ca-file"?: string;
  /** Allowed common names of front proxy certificates; empty allows every certificate of --requestheader-client-ca-file. Default: empty. */
  readonly "requestheader-allowed-names"?: readonly string[];
  /**
   * Front proxy headers with the user name, such as X-Remote-User. The first header with a value is used; empty disables front proxy
   * authentication. Default: empty.
   */
  readonly "requestheader-username-headers"?: readonly string[];
  /**
   * Front proxy headers with the user's UID. The first header with a value is used. A non-empty list must contain X-Remote-Uid and requires
   * the feature gate RemoteRequestHeaderUID. Default: empty.
   */
  readonly "requestheader-uid-headers"?: readonly string[];
  /** Front proxy headers with the user's groups, such as X-Remote-Group; a header can be repeated, with one group each. Default: empty. */
  readonly "requestheader-group-headers"?: readonly string[];
  /**
   * Prefixes of front proxy headers with extra user attributes, such as X-Remote-Extra-. The rest of the header's name is the key. Default:
   * empty.
   */
  readonly "requestheader-extra-headers-prefix"?: readonly string[];
  /** File of static bearer tokens, one per line: token,user,uid,"group1,group2". Default: empty. */
  readonly "token-auth-file"?: string;
  /** Accept tokens of Secrets of the type bootstrap.kubernetes.io/token in kube-system, with which nodes join a cluster. Default: false. */
  readonly "enable-bootstrap-token-auth"?: boolean;
  /** Accept requests without credentials as system:anonymous; false rejects them with 401. Default: true. */
  readonly "anonymous-auth"?: boolean;
  /**
   * PEM file of the private key that signs service account tokens; empty: a key made on the first start, in the data directory. Default:
   * empty.
   */
  readonly "service-account-signing-key-file"?: string;
  /**
   * PEM files of further keys that verify service account tokens: public keys, private keys or certificates. The signing key always
   * verifies. Default: empty.
   */
  readonly "service-account-key-file"?: readonly string[];
  /**
   * Issuers of service account tokens. The first signs, all are accepted; empty: https://kubernetes.default.svc. Discovery documents need
   * an https URL. Default: empty.
   */
  readonly "service-account-issuer"?: readonly string[];
  /** Address of the key set in /.well-known/openid-configuration; empty: this server's /openid/v1/jwks. Default: empty. */
  readonly "service-account-jwks-uri"?: string;
  /**
   * Maximum validity of a service account token, at least 1h; longer requests are shortened. 0 disables the limit. In milliseconds.
   * Default: 0.
   */
  readonly "service-account-max-token-expiration"?: number;
  /**
   * Extend tokens of pods, which are requested for 3607 seconds and the server's audiences, to a year. Use after the requested time counts
   * as stale. Default: true.
   */
  readonly "service-account-extend-token-expiration"?: boolean;
  /**
   * Accept legacy service account tokens only while their Secret and account exist; false accepts every one with a valid signature.
   * Default: true.
   */
  readonly "service-account-lookup"?: boolean;
  /** Audiences of this server: a service account token must be for one of them; empty: --service-account-issuer. Default: empty. */
  readonly "api-audiences"?: readonly string[];
  /**
   * YAML file with an AuthenticationConfiguration: issuers of JSON Web Tokens, and paths that may be requested without credentials.
   * Excludes --oidc-*. Default: empty.
   */
  readonly "authentication-config"?: string;
  /** URL of the OpenID Connect issuer whose tokens are accepted; https only. Requires --oidc-client-id. Default: empty. */
  readonly "oidc-issuer-url"?: string;
  /** Client ID that must be among the audiences of a token of the issuer. Default: empty. */
  readonly "oidc-client-id"?: string;
  /** PEM bundle of CAs that verify the issuer's certificate; empty uses those of the system. Default: empty. */
  readonly "oidc-ca-file"?: string;
  /** Claim of the user name. Default: sub. */
  readonly "oidc-username-claim"?: string;
  /** Prefix of user names. Empty: the issuer's URL and #, except for the claim email; - for none. Default: empty. */
  readonly "oidc-username-prefix"?: string;
  /** Claim of the groups, a string or a list of strings; empty for none. Default: empty. */
  readonly "oidc-groups-claim"?: string;
  /** Prefix of groups. Without one, a token may name groups such as system:masters. Default: empty. */
  readonly "oidc-groups-prefix"?: string;
  /**
   * Algorithms that tokens may be signed with: RS256, RS384, RS512, ES256, ES384, ES512, PS256, PS384, PS512; empty: RS256. Default: empty.
   */
  readonly "oidc-signing-algs"?: readonly string[];
  /** Claim that a token must have, with its value: key=value. Can be repeated. Default: empty. */
  readonly "oidc-required-claim"?: Readonly<Record<string, string>>;
  /** Kubeconfig file of the webhook that reviews bearer tokens which no other authenticator accepts. Default: empty. */
  readonly "authentication-token-webhook-config-file"?: string;
  /** Version of the TokenReviews for the webhook: v1 or v1beta1. Default: v1beta1. */
  readonly "authentication-token-webhook-version"?: string;
  /**
   * Time for which responses of the webhook are cached, for accepted and rejected tokens; 0 disables the cache. In milliseconds. Default:
   * 120000 (2m0s).
   */
  readonly "authentication-token-webhook-cache-ttl"?: number;
  /**
   * Kubeconfig file of the kube-apiserver in front of this server, or in-cluster for the credentials of the pod. Bearer tokens that no
   * other authenticator accepts are reviewed there. CAs of clients and of the front proxy that no flag names are read from its ConfigMap
   * kube-system/extension-apiserver-authentication, and reloaded when it changes. Default: empty.
   */
  readonly "authentication-kubeconfig"?: string;
  /** Do not read the ConfigMap extension-apiserver-authentication of --authentication-kubeconfig. Default: false. */
  readonly "authentication-skip-lookup"?: boolean;
  /** Start although that ConfigMap cannot be read. Until it can be, no CA of the cluster is trusted. Default: false. */
  readonly "authentication-tolerate-lookup-failure"?: boolean;
  /**
   * Kubeconfig file of the kube-apiserver in front, or in-cluster. Requests are authorized there: Cluster becomes the default of
   * --authorization-mode. Default: empty.
   */
  readonly "authorization-kubeconfig"?: string;
  /** Paths that the mode Cluster allows without a review; * at the end is a prefix. Empty: /healthz, /livez and /readyz. Default: empty. */
  readonly "authorization-always-allow-paths"?: readonly string[];
  /**
   * Authorizers in the order in which they are called: RBAC, Webhook, Cluster, AlwaysAllow, AlwaysDeny, or one that a plugin offers. The
   * first that allows or denies a request decides. Members of system:masters are always allowed. Empty: RBAC, or Cluster with
   * --authorization-kubeconfig. Default: empty.
   */
  readonly "authorization-mode"?: readonly string[];
  /**
   * YAML file with an AuthorizationConfiguration: the authorizers in order, with any number of webhooks. Excludes --authorization-mode and
   * --authorization-webhook-*. Default: empty.
   */
  readonly "authorization-config"?: string;
  /** Kubeconfig file of the server that receives SubjectAccessReviews with --authorization-mode=Webhook. Default: empty. */
  readonly "authorization-webhook-config-file"?: string;
  /** Version of the SubjectAccessReviews for the webhook: v1 or v1beta1. Default: v1beta1. */
  readonly "authorization-webhook-version"?: string;
  /**
   * Time for which responses of the webhook that allow a request are cached; 0 disables the cache. In milliseconds. Default: 300000 (5m0s).
   */
  readonly "authorization-webhook-cache-authorized-ttl"?: number;
  /** Time for which other responses of the webhook are cached; 0 disables the cache. In milliseconds. Default: 30000 (30s). */
  readonly "authorization-webhook-cache-unauthorized-ttl"?: number;
  /** Directory of the embedded store, certificates and kubeconfig; :memory: keeps all state in memory. Default: ./thole-data. */
  readonly "data-dir"?: string;
  /**
   * File for the administrator's kubeconfig. Empty: kubeconfig in the data folder, or in a temporary folder if that is :memory:. In memory
   * it is removed at the end. Default: empty.
   */
  readonly "write-kubeconfig"?: string;
  /** etcd endpoints (scheme://host:port, comma-separated); empty uses the embedded store. Default: empty. */
  readonly "etcd-servers"?: readonly string[];
  /**
   * Other etcds for single resources: group/resource#server;server, comma-separated, such as /events#http://10.0.0.1:2379. The resource *
   * stands for all of a group. Custom resources are always in the etcd of --etcd-servers. Default: empty.
   */
  readonly "etcd-servers-overrides"?: readonly string[];
  /** Prefix of every key in the store. Default: /registry. */
  readonly "etcd-prefix"?: string;
  /** PEM bundle of CAs that verify etcd's certificate. Default: empty. */
  readonly "etcd-cafile"?: string;
  /** PEM client certificate for etcd. Default: empty. */
  readonly "etcd-certfile"?: string;
  /** PEM private key of the client certificate for etcd. Default: empty. */
  readonly "etcd-keyfile"?: string;
  /**
   * File with an EncryptionConfiguration: resources that are encrypted in the store, and the keys. The first key of a resource writes, all
   * read. Empty: everything is stored in the clear. Default: empty.
   */
  readonly "encryption-provider-config"?: string;
  /** Age of the history kept for watches and continued lists; 0 disables compaction. In milliseconds. Default: 300000 (5m0s). */
  readonly "etcd-compaction-interval"?: number;
  /**
   * Controllers to run: names, * for all, -name to leave one out, -* to leave all out, as beside a kube-controller-manager. Empty: all.
   * Names may end in -controller. Default: empty.
   */
  readonly "controllers"?: readonly string[];
  /** Run the controllers on one server per etcd only, elected by a Lease in kube-system; false runs them on every server. Default: true. */
  readonly "leader-elect"?: boolean;
  /**
   * Time until other servers may take over a lease that is not renewed; whole seconds, at least 1s. In milliseconds. Default: 15000 (15s).
   */
  readonly "leader-elect-lease-duration"?: number;
  /**
   * Time that the leader retries a renewal before it stops its controllers; less than --leader-elect-lease-duration. In milliseconds.
   * Default: 10000 (10s).
   */
  readonly "leader-elect-renew-deadline"?: number;
  /** Time between attempts to acquire or renew the lease; greater than 0. In milliseconds. Default: 2000 (2s). */
  readonly "leader-elect-retry-period"?: number;
  /**
   * Ranges of cluster addresses for services: an IPv4 and an IPv6 one at most, separated by a comma. The first is the default family.
   * Default: 10.0.0.0/24.
   */
  readonly "service-cluster-ip-range"?: string;
  /** Range of ports for services on nodes, such as 30000-32767. Default: 30000-32767. */
  readonly "service-node-port-range"?: string;
  /** How the endpoints of the Service kubernetes are kept: lease, by all servers that run, or none. Default: lease. */
  readonly "endpoint-reconciler-type"?: string;
  /**
   * Address of this server in the endpoints of the Service kubernetes. Default: --bind-address. Without one that others can reach there are
   * none. Default: empty.
   */
  readonly "advertise-address"?: string;
  /** PEM file with the CAs of the serving certificates of kubelets. Without it they are not verified. Default: empty. */
  readonly "kubelet-certificate-authority"?: string;
  /** PEM file with the client certificate for kubelets. Default: none. Default: empty. */
  readonly "kubelet-client-certificate"?: string;
  /** PEM file with the key of --kubelet-client-certificate. Default: empty. */
  readonly "kubelet-client-key"?: string;
  /**
   * Types of the addresses of a node at which its kubelet is reached, the best first. Default: Hostname, InternalDNS, InternalIP,
   * ExternalDNS, ExternalIP. Default: empty.
   */
  readonly "kubelet-preferred-address-types"?: readonly string[];
  /**
   * PEM file with the client certificate by which servers of registered APIs trust the user that this server names. Default: none. Default:
   * empty.
   */
  readonly "proxy-client-cert-file"?: string;
  /** PEM file with the key of --proxy-client-cert-file. Default: empty. */
  readonly "proxy-client-key-file"?: string;
  /** Send requests for registered APIs to an endpoint of their service instead of its cluster address. Default: false. */
  readonly "enable-aggregator-routing"?: boolean;
  /** Reply 502 when the server of a registered API redirects a client. With false clients follow it. Default: true. */
  readonly "aggregator-reject-forwarding-redirect"?: boolean;
  /** Domain of API groups: storage.<domain>. Stock clients expect the default. Default: k8s.io. */
  readonly "group-domain"?: string;
  /** Name in the protobuf media type, labels, annotations and finalizers. Default: kubernetes. */
  readonly "platform-name"?: string;
  /**
   * Built-in plugins to serve when none is named: kubernetes (all) or control-plane (an API without pods, nodes and workloads). Default:
   * kubernetes.
   */
  readonly "preset"?: string;
  /**
   * Simulate a cluster: workloads make pods, pods get nodes, and both live by themselves, without programs beside the server. For tests and
   * trials. Default: false.
   */
  readonly "simulate"?: boolean;
  /**
   * Serve test control over HTTP below /test/: forks, the clock of forks, faults and recordings. The token for it is printed. Needs
   * --data-dir=:memory: and a loopback address. Files of certificates are not followed, and nothing is reloaded. Default: false.
   */
  readonly "test-control"?: boolean;
  /**
   * Release whose kinds, gates, warnings and metrics the server has, 1.32 to 1.35: <major>.<minor>, or kube=<major>.<minor>; empty: 1.35.
   * Default: empty.
   */
  readonly "emulated-version"?: readonly string[];
  /**
   * Oldest release that must be able to read what is stored: decides stored versions, and the libraries of new CEL expressions. At most
   * --emulated-version; empty: the release before it. Default: empty.
   */
  readonly "min-compatibility-version"?: readonly string[];
  /** With --emulated-version: also serve newer, more stable versions of the beta and GA kinds that are served. Default: false. */
  readonly "emulation-forward-compatible"?: boolean;
  /** With --emulated-version: --runtime-config can name versions that are newer than it. Default: false. */
  readonly "runtime-config-emulation-forward-compatible"?: boolean;
  /**
   * Group versions and resources to enable or disable: group/version[/resource][=bool], api/all, api/ga, api/beta, api/alpha. Default:
   * empty.
   */
  readonly "runtime-config"?: Readonly<Record<string, boolean>>;
  /**
   * File with an AdmissionConfiguration: for which requests an admission plugin runs, and the credentials for webhooks. Empty: every plugin
   * runs for all of its requests, and webhooks get no credentials. Default: empty.
   */
  readonly "admission-control-config-file"?: string;
  /**
   * Address of a webhook, or of the service of a registered API, by the host and port that its configuration names: host:port=host:port. A
   * Service is name.namespace.svc:port. Hosts without an entry are resolved by DNS; with `npm start` only entries can be reached. Can be
   * repeated. Default: empty.
   */
  readonly "webhook-addresses"?: Readonly<Record<string, string>>;
  /**
   * Admission plugins to enable although they are off by default, by name, such as OwnerReferencesPermissionEnforcement. The order does not
   * matter. Default: empty.
   */
  readonly "enable-admission-plugins"?: readonly string[];
  /**
   * Admission plugins to disable, by name, such as DefaultStorageClass. Names of kube-apiserver that this server does not have are
   * accepted. Default: empty.
   */
  readonly "disable-admission-plugins"?: readonly string[];
  /** Feature gates to set: Name=bool. AllAlpha and AllBeta set every gate of that stage. Default: empty. */
  readonly "feature-gates"?: Readonly<Record<string, boolean>>;
  /** Do not log warnings about deprecated flags and feature gates that are set. Default: false. */
  readonly "suppress-deprecation-warnings"?: boolean;
  /**
   * Queue requests by FlowSchema and PriorityLevelConfiguration, and give each level its share of the server; false rejects requests above
   * the limits on concurrent reads and writes. Default: true.
   */
  readonly "enable-priority-and-fairness"?: boolean;
  /**
   * Maximum number of concurrent reads, per worker; further ones are rejected with 429. With priority and fairness, the levels divide the
   * sum of both limits. 0 disables the limit. Default: 400.
   */
  readonly "max-requests-inflight"?: number;
  /**
   * Maximum number of concurrent writes, per worker; further ones are rejected with 429. With priority and fairness, the levels divide the
   * sum of both limits. 0 disables the limit. Default: 200.
   */
  readonly "max-mutating-requests-inflight"?: number;
  /**
   * Probability that an HTTP/2 request is answered with GOAWAY, so that clients reconnect and spread over the servers behind a load
   * balancer. At most 0.02; try 0.001. 0 disables it, which suits a single server. Default: 0.
   */
  readonly "goaway-chance"?: number;
  /** Maximum number of concurrent requests, watches included, per HTTP/2 connection; 0 means 250. Default: 0. */
  readonly "http2-max-streams-per-connection"?: number;
  /**
   * Implementation of HTTP/2: own, or runtime for that of Deno or Node, which costs more CPU: for trouble with the own one. Default: own.
   */
  readonly "http2-implementation"?: string;
  /**
   * Maximum duration of a request other than a watch; a longer timeout parameter has no effect. 0 ends reads that wait for the store at
   * once, with 504. A commit in progress is never interrupted. In milliseconds. Default: 60000 (1m0s).
   */
  readonly "request-timeout"?: number;
  /**
   * Minimum duration of a watch without timeoutSeconds, in seconds; the actual duration is random, up to twice this value. 0 ends such a
   * watch at once. Default: 1800.
   */
  readonly "min-request-timeout"?: number;
  /** Time after start during which /livez ignores unfinished start hooks; 0 ignores none. In milliseconds. Default: 0. */
  readonly "livez-grace-period"?: number;
  /**
   * Timeout of the store check etcd in /livez, /readyz and /healthz. 0 fails the check unless the store answers within about 1ms. In
   * milliseconds. Default: 2000 (2s).
   */
  readonly "etcd-healthcheck-timeout"?: number;
  /**
   * Timeout of the store check etcd-readiness in /readyz. 0 fails the check unless the store answers within about 1ms. In milliseconds.
   * Default: 2000 (2s).
   */
  readonly "etcd-readycheck-timeout"?: number;
  /** Log format: text (klog's format) or json. Default: text. */
  readonly "logging-format"?: string;
  /** Log verbosity; 0 logs operational messages only, 3 adds a line per request. Default: 0. */
  readonly "v"?: number;
  /** Log verbosity per module: module=level, comma-separated, such as httplog=3. Names may contain * and ?. Default: empty. */
  readonly "vmodule"?: readonly string[];
  /** Log a trace of requests slower than this; 0 disables it. Excludes watches. In milliseconds. Default: 500 (500ms). */
  readonly "slow-request-threshold"?: number;
  /**
   * Also serve the metrics that are hidden in this release and removed in the next. The only valid value is the previous minor release,
   * such as 1.34; empty serves no hidden metrics. Default: empty.
   */
  readonly "show-hidden-metrics-for-version"?: string;
  /** Metrics to disable, by full name. Takes precedence over --show-hidden-metrics-for-version. Default: empty. */
  readonly "disabled-metrics"?: readonly string[];
  /**
   * Allowed values of a metric label: metric,label=value,value. Other values are recorded as unexpected. Can be repeated. Default: empty.
   */
  readonly "allow-metric-labels"?: Readonly<Record<string, string>>;
  /** YAML file of allowed label values: "metric,label": "value,value". Ignored when --allow-metric-labels is set. Default: empty. */
  readonly "allow-metric-labels-manifest"?: string;
  /** YAML file with the audit policy: which requests are recorded, and how much of them. Empty: no audit. Default: empty. */
  readonly "audit-policy-file"?: string;
  /** File of the audit log; - means the standard output, empty no log. Requires --audit-policy-file. Default: empty. */
  readonly "audit-log-path"?: string;
  /** Format of the audit log: json (one object per line) or legacy (one line of text). Default: json. */
  readonly "audit-log-format"?: string;
  /** Number of days that rotated audit logs are kept, by the time in their names; 0 keeps them whatever their age. Default: 366. */
  readonly "audit-log-maxage"?: number;
  /** Maximum number of rotated audit logs; 0 keeps all. Default: 100. */
  readonly "audit-log-maxbackup"?: number;
  /** Size of the audit log in megabytes at which it is rotated; 0 disables rotation. Default: 100. */
  readonly "audit-log-maxsize"?: number;
  /** Compress rotated audit logs with gzip. Default: false. */
  readonly "audit-log-compress"?: boolean;
  /**
   * Delivery of events: batch (in the background; events are lost when the buffer is full), blocking (before the request continues) or
   * blocking-strict (a request whose event cannot be stored fails). Default: blocking.
   */
  readonly "audit-log-mode"?: string;
  /** Maximum number of waiting events; further ones are lost. Only in batch mode. Default: 10000. */
  readonly "audit-log-batch-buffer-size"?: number;
  /** A batch has at most this number of events. Only in batch mode. Default: 1. */
  readonly "audit-log-batch-max-size"?: number;
  /** Time after which an incomplete batch is delivered. Only in batch mode. In milliseconds. Default: 0. */
  readonly "audit-log-batch-max-wait"?: number;
  /** Limit the rate of batches. Only in batch mode. Default: false. */
  readonly "audit-log-batch-throttle-enable"?: boolean;
  /** On average, at most this number of batches is sent in a second. Only in batch mode. Default: 0. */
  readonly "audit-log-batch-throttle-qps"?: number;
  /** Number of batches that may be sent at once after a pause. Only in batch mode. Default: 0. */
  readonly "audit-log-batch-throttle-burst"?: number;
  /** Limit the size of events and batches. Default: false. */
  readonly "audit-log-truncate-enabled"?: boolean;
  /** Maximum size of a batch in bytes; larger ones are split. Requires truncation to be enabled. Default: 10485760. */
  readonly "audit-log-truncate-max-batch-size"?: number;
  /**
   * Maximum size of an event in bytes. Larger ones lose their request and response objects; events that are still too large are lost.
   * Requires truncation to be enabled. Default: 102400.
   */
  readonly "audit-log-truncate-max-event-size"?: number;
  /** API version of the events; the only one is audit.k8s.io/v1. Default: audit.k8s.io/v1. */
  readonly "audit-log-version"?: string;
  /** Kubeconfig file of the audit webhook; empty: no webhook. Requires --audit-policy-file. Default: empty. */
  readonly "audit-webhook-config-file"?: string;
  /** Time before the first retry of a failed request to the webhook. In milliseconds. Default: 10000 (10s). */
  readonly "audit-webhook-initial-backoff"?: number;
  /**
   * Delivery of events: batch (in the background; events are lost when the buffer is full), blocking (before the request continues) or
   * blocking-strict (a request whose event cannot be stored fails). Default: batch.
   */
  readonly "audit-webhook-mode"?: string;
  /** Maximum number of waiting events; further ones are lost. Only in batch mode. Default: 10000. */
  readonly "audit-webhook-batch-buffer-size"?: number;
  /** A batch has at most this number of events. Only in batch mode. Default: 400. */
  readonly "audit-webhook-batch-max-size"?: number;
  /** Time after which an incomplete batch is delivered. Only in batch mode. In milliseconds. Default: 30000 (30s). */
  readonly "audit-webhook-batch-max-wait"?: number;
  /** Limit the rate of batches. Only in batch mode. Default: true. */
  readonly "audit-webhook-batch-throttle-enable"?: boolean;
  /** On average, at most this number of batches is sent in a second. Only in batch mode. Default: 10. */
  readonly "audit-webhook-batch-throttle-qps"?: number;
  /** Number of batches that may be sent at once after a pause. Only in batch mode. Default: 15. */
  readonly "audit-webhook-batch-throttle-burst"?: number;
  /** Limit the size of events and batches. Default: false. */
  readonly "audit-webhook-truncate-enabled"?: boolean;
  /** Maximum size of a batch in bytes; larger ones are split. Requires truncation to be enabled. Default: 10485760. */
  readonly "audit-webhook-truncate-max-batch-size"?: number;
  /**
   * Maximum size of an event in bytes. Larger ones lose their request and response objects; events that are still too large are lost.
   * Requires truncation to be enabled. Default: 102400.
   */
  readonly "audit-webhook-truncate-max-event-size"?: number;
  /** API version of the events; the only one is audit.k8s.io/v1. Default: audit.k8s.io/v1. */
  readonly "audit-webhook-version"?: string;
  /**
   * File with a TracingConfiguration: the address of the OpenTelemetry collector that receives spans over OTLP (gRPC), and the share of
   * requests to trace. Empty: nothing is traced. Default: empty.
   */
  readonly "tracing-config-file"?: string;
  /**
   * During shutdown, reject new requests with 429 and Retry-After while running requests finish, for at most 10s. /livez, /readyz, /healthz
   * and /metrics are still served. Default: false.
   */
  readonly "shutdown-send-retry-after"?: boolean;
  /** Period over which watches are closed during shutdown; 0 closes all at once. In milliseconds. Default: 0. */
  readonly "shutdown-watch-termination-grace-period"?: number;
  /** Time to continue serving after /readyz reports shutdown; 0 stops at once. In milliseconds. Default: 0. */
  readonly "shutdown-delay-duration"?: number;
  /**
   * End as after SIGTERM when the standard input closes. A program that starts the server with a pipe as its standard input does not leave
   * it behind, even if that program is killed. With /dev/null as standard input the server ends at once. In the library it has no effect.
   * Default: false.
   */
  readonly "exit-on-stdin-close"?: boolean;
}
