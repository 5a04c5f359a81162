/** A Pod as it is in a cluster: 5 kB with its status and its managed fields. */

/** Variables and volumes of the container, so that the stored object has about 5 kB. */
const variables = 12, volumes = 3;

const container = {
  name: "main",
  image: "registry.example.com/team/service:1.27.3",
  args: ["--port=8080", "--log-level=info"],
  ports: [{ name: "http", containerPort: 8080, protocol: "TCP" }],
  env: Array.from({ length: variables }, (_, index) => ({ name: `SETTING_${index}`, value: `value-of-setting-${index * 7919 % 9973}` })),
  resources: { limits: { cpu: "500m", memory: "256Mi" }, requests: { cpu: "100m", memory: "128Mi" } },
  livenessProbe: { httpGet: { path: "/healthz", port: "http" }, periodSeconds: 10 },
  readinessProbe: { httpGet: { path: "/readyz", port: "http" }, periodSeconds: 5 },
  volumeMounts: Array.from({ length: volumes }, (_, index) => ({ name: `volume-${index}`, mountPath: `/etc/service/${index}` })),
};

const spec = {
  automountServiceAccountToken: false,
  nodeName: "node-1",
  containers: [container],
  volumes: Array.from({ length: volumes }, (_, index) => ({ name: `volume-${index}`, configMap: { name: `config-${index}` } })),
};

const since = "2026-01-01T00:00:00Z";
const status = {
  phase: "Running",
  podIP: "10.0.0.7",
  hostIP: "192.168.0.1",
  startTime: since,
  conditions: ["PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled"].map((type) => ({
    ...{ type, status: "True", lastTransitionTime: since },
  })),
  containerStatuses: [{
    name: "main",
    ready: true,
    started: true,
    restartCount: 0,
    image: container.image,
    imageID: `registry.example.com/team/service@sha256:${"0123456789abcdef".repeat(4)}`,
    containerID: `containerd://${"fedcba9876543210".repeat(4)}`,
    state: { running: { startedAt: since } },
  }],
};

/** The Pod in JSON with its status, of which a create takes nothing. `n` makes each differ, and comes before the rest in the JSON of every server. */
export function pod(name: string, n: number | string): string {
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, annotations: { n: String(n) }, labels: { app: "service", "pod-template-hash": "7d4b9c8f6d" } },
    spec,
    status,
  });
}

/** What a kubelet sends when the state of the container has changed: a patch of the status. */
export function podStatusPatch(n: number | string): string {
  return JSON.stringify({ status: { ...status, message: String(n) } });
}
