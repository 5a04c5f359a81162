/**
 * The flags of kube-apiserver 1.35 that are no settings here (facts from its --help). In its place the program accepts and ignores them; those without a value
 * do not take the next word. Not among them: flags whose absence would be a risk, such as the one of a policy file.
 */
const withValue = `
  cors-allowed-origins external-hostname storage-initialization-timeout
  strict-transport-security-directives delete-collection-workers etcd-count-metric-poll-period etcd-db-metric-poll-interval
  egress-selector-config-file lease-reuse-duration-seconds storage-backend storage-media-type watch-cache-sizes
  tls-curve-preferences debug-socket-path admission-control default-not-ready-toleration-seconds
  default-unreachable-toleration-seconds log-flush-frequency log-json-info-buffer-size log-text-info-buffer-size
  coordinated-leadership-lease-duration coordinated-leadership-renew-deadline coordinated-leadership-retry-period
  event-ttl kubelet-timeout kubernetes-service-node-port max-connection-bytes-per-sec peer-advertise-ip
  peer-advertise-port peer-ca-file service-account-signing-endpoint
`;
const withoutValue = `
  send-retry-after-while-not-ready-once
  enable-garbage-collector watch-cache disable-http2-serving permit-address-sharing permit-port-sharing contention-profiling
  profiling encryption-provider-config-automatic-reload log-json-split-stream log-text-split-stream
  allow-privileged enable-logs-handler
`;

const wordsOf = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

export const ignoredFlags = Object.freeze({ withValue: wordsOf(withValue), withoutValue: wordsOf(withoutValue) });
