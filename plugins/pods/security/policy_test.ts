// In Deno's suite only: rules of kinds use nothing of the runtime.
import assert from "node:assert/strict";
import { test } from "node:test";
import { defaultNames } from "../../../core/names.ts";
import type { Level } from "./levels.ts";
import { detailsText, violationsOf } from "./policy.ts";

const newest = 35;
/** A pod that keeps to every level, with changes. */
function podOf({ container = {}, spec = {}, annotations }: { container?: object; spec?: object; annotations?: object } = {}): any {
  const securityContext = { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } };
  return {
    metadata: annotations === undefined ? {} : { annotations },
    spec: {
      securityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } },
      containers: [{ name: "c", securityContext, ...container }],
      ...spec,
    },
  };
}
const inContainer = (securityContext: object) => podOf({ container: { securityContext } });
const inPod = (securityContext: object) => podOf({ spec: { securityContext } });

function textOf(pod: object, level: Level, version: number | "latest" = "latest"): string {
  return detailsText(violationsOf({ level, version }, pod as any, defaultNames, newest));
}

test("a pod that keeps to a level has no violations, and privileged demands nothing", () => {
  for (let minor = 0; minor <= newest; minor++) assert.equal(textOf(podOf(), "restricted", minor), "", String(minor));
  assert.equal(textOf(podOf({ spec: { hostNetwork: true } }), "privileged"), "");
});

const escalation = 'allowPrivilegeEscalation != false (container "c" must set securityContext.allowPrivilegeEscalation=false)';
const undropped = 'unrestricted capabilities (container "c" must set securityContext.capabilities.drop=["ALL"])';
const baseline: readonly (readonly [pod: object, text: string])[] = [
  [
    inContainer({ appArmorProfile: { type: "Unconfined" } }),
    'forbidden AppArmor profile (container "c" must not set AppArmor profile type to "Unconfined")',
  ],
  [
    {
      ...inPod({ appArmorProfile: { type: "Unconfined" } }),
      metadata: { annotations: { "container.apparmor.security.beta.kubernetes.io/c": "x" } },
    },
    'forbidden AppArmor profiles (pod and annotation must not set AppArmor profile type to "Unconfined", ' +
    '"container.apparmor.security.beta.kubernetes.io/c="x"")',
  ],
  [
    inContainer({ capabilities: { add: ["NET_RAW", "CHOWN"] } }),
    'non-default capabilities (container "c" must not include "NET_RAW" in securityContext.capabilities.add)',
  ],
  [podOf({ spec: { hostNetwork: true, hostIPC: true } }), "host namespaces (hostNetwork=true, hostIPC=true)"],
  [podOf({ spec: { volumes: [{ name: "v", hostPath: {} }, { name: "w", hostPath: {} }] } }), 'hostPath volumes (volumes "v", "w")'],
  [
    podOf({ container: { ports: [{ hostPort: 80 }, { hostPort: 0 }, { hostPort: 443 }] } }),
    'hostPort (container "c" uses hostPorts 443, 80)',
  ],
  [
    podOf({ container: { livenessProbe: { httpGet: { host: "h" } }, lifecycle: { preStop: { tcpSocket: { host: "g" } } } } }),
    'probe or lifecycle host (container "c" uses probe or lifecycle hosts "g", "h")',
  ],
  [inContainer({ privileged: true }), 'privileged (container "c" must not set securityContext.privileged=true)'],
  [inContainer({ procMount: "Unmasked" }), 'procMount (container "c" must not set securityContext.procMount to "Unmasked")'],
  [
    inPod({ seLinuxOptions: { type: "a", user: "u", role: "r" } }),
    'seLinuxOptions (pod set forbidden securityContext.seLinuxOptions: type "a"; user may not be set; role may not be set)',
  ],
  [
    inContainer({ seccompProfile: { type: "Unconfined" } }),
    'seccompProfile (container "c" must not set securityContext.seccompProfile.type to "Unconfined")',
  ],
  [inPod({ sysctls: [{ name: "kernel.sem" }, { name: "net.ipv4.tcp_rmem" }] }), "forbidden sysctls (kernel.sem)"],
  [
    inContainer({ windowsOptions: { hostProcess: true } }),
    'hostProcess (container "c" must not set securityContext.windowsOptions.hostProcess=true)',
  ],
];

test("the baseline names what a pod has beyond its own", () => {
  for (const [pod, text] of baseline) assert.equal(textOf(pod, "baseline"), text);
});

test("the restricted level asks for more, and replaces checks of the baseline", () => {
  const cases: readonly (readonly [pod: object, text: string])[] = [
    [inContainer({ capabilities: { drop: ["ALL"] } }), escalation],
    [inContainer({ allowPrivilegeEscalation: false }), undropped],
    [
      inContainer({ allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"], add: ["CHOWN", "NET_BIND_SERVICE"] } }),
      'unrestricted capabilities (container "c" must not include "CHOWN" in securityContext.capabilities.add)',
    ],
    [
      podOf({ spec: { volumes: [{ name: "v", hostPath: {} }, { name: "w", nfs: {} }, { name: "x", secret: {} }] } }),
      'restricted volume types (volumes "v", "w" use restricted volume types "hostPath", "nfs")',
    ],
    [
      inPod({ seccompProfile: { type: "Localhost" } }),
      'runAsNonRoot != true (pod or container "c" must set securityContext.runAsNonRoot=true)',
    ],
    [
      inPod({ seccompProfile: { type: "Localhost" }, runAsNonRoot: false }),
      "runAsNonRoot != true (pod must not set securityContext.runAsNonRoot=false)",
    ],
    [
      inPod({ seccompProfile: { type: "Localhost" }, runAsNonRoot: true, runAsUser: 0 }),
      "runAsUser=0 (pod must not set runAsUser=0)",
    ],
    [
      inPod({ runAsNonRoot: true }),
      'seccompProfile (pod or container "c" must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost")',
    ],
  ];
  for (const [pod, text] of cases) assert.equal(textOf(pod, "restricted"), text);
});

test("a check holds from its release on, and later versions than the server's are the newest", () => {
  /** The first release in which the result differs from the one before. */
  const changes = (pod: object, level: Level) =>
    Array.from({ length: newest + 5 }, (_, minor) => minor).filter((minor) =>
      minor > 0 && textOf(pod, level, minor) !== textOf(pod, level, minor - 1)
    );
  const sysctls = ["net.ipv4.ip_local_reserved_ports", "net.ipv4.tcp_fin_timeout", "net.ipv4.tcp_wmem"].map((name) => ({ name }));
  const windows = { os: { name: "windows" } };
  assert.deepEqual(changes(inPod({ sysctls }), "baseline"), [27, 29, 32]);
  assert.deepEqual(changes(podOf({ container: { startupProbe: { tcpSocket: { host: "h" } } } }), "baseline"), [34]);
  assert.deepEqual(changes(inPod({ seLinuxOptions: { type: "container_engine_t" } }), "baseline"), [31]);
  assert.deepEqual(changes(inContainer({ seccompProfile: { type: "Unconfined" } }), "baseline"), [19]);
  assert.deepEqual(changes(podOf({ spec: { hostUsers: false }, container: { securityContext: { procMount: "x" } } }), "baseline"), [35]);
  assert.deepEqual(changes(podOf({ container: { securityContext: {} } }), "restricted"), [8, 22]);
  assert.deepEqual(changes(podOf({ spec: { ...windows, securityContext: { runAsNonRoot: true } } }), "restricted"), [19, 25]);
  assert.deepEqual(changes(podOf({ spec: { ...windows }, container: { securityContext: {} } }), "restricted"), [8, 22, 25]);
  const root = { securityContext: { runAsUser: 0, seccompProfile: { type: "Localhost" } }, hostUsers: false };
  assert.deepEqual(changes(podOf({ spec: root }), "restricted"), [23, 35]);
});

test("annotations counted for seccomp before it was a field", () => {
  const annotations = {
    "seccomp.security.alpha.kubernetes.io/pod": "unconfined",
    "container.seccomp.security.alpha.kubernetes.io/c": "localhost/x",
  };
  const pod = podOf({ annotations });
  assert.equal(
    textOf(pod, "baseline", 18),
    'seccompProfile (forbidden annotation seccomp.security.alpha.kubernetes.io/pod="unconfined")',
  );
  assert.equal(textOf(pod, "baseline", 19), "");
});
