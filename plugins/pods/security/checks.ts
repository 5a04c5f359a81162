/** The checks of the pod security standards (KEP-2579), with upstream's reasons and details. `policy.ts` says which level has which. */
import { append } from "../../../core/append.ts";
import { goQuote, type Names, spell } from "../../../toolbox.ts";
import { everyContainer } from "../../shared/pod/containers-of.ts";
import type { Container } from "../../shared/pod/container.ts";
import type { PodTemplateSpec } from "../../shared/pod/pod-spec.ts";
import { podAnnotations } from "../../shared/pod/validate-pod-annotations.ts";

/** What a pod violates: the reason is the same for many pods, the detail names containers and values. */
export interface Violation {
  readonly reason: string;
  readonly detail: string;
}
export type Check = (pod: PodTemplateSpec, names: Names) => Violation | undefined;

const quoted = (items: readonly string[]): string => items.map((item) => `"${item}"`).join(", ");
const distinct = (items: readonly string[]): readonly string[] => [...new Set(items)].sort((a, b) => a < b ? -1 : 1);
const counted = (singular: string, count: number, plural = `${singular}s`): string => count === 1 ? singular : plural;
const containersText = (names: readonly string[]): string => `${counted("container", names.length)} ${quoted(names)}`;
const uses = (count: number): string => counted("uses", count, "use");
const violation = (reason: string, detail: string): Violation => ({ reason, detail });

type Context = NonNullable<Container["securityContext"]>;
type PodContext = NonNullable<PodTemplateSpec["spec"]["securityContext"]>;

/** The names of the containers, including those that start or were added later, for which `is` holds. */
function containersThat({ spec }: PodTemplateSpec, is: (context: Context, container: Container) => boolean): readonly string[] {
  const list = everyContainer(spec) as readonly Container[]; // ephemeral containers have these members as well
  return list.filter((container) => is(container.securityContext ?? {}, container)).map(({ name }) => name);
}

/** The pod and the containers that set a value of their security context; undefined if none does. */
function settersOf(byPod: boolean, containers: readonly string[]): string | undefined {
  const setters = [...(byPod ? ["pod"] : []), ...(containers.length === 0 ? [] : [containersText(containers)])];
  return setters.length === 0 ? undefined : setters.join(" and ");
}

const isWindows = ({ spec }: PodTemplateSpec): boolean => spec.os?.name === "windows";
const hasUserNamespace = ({ spec }: PodTemplateSpec): boolean => spec.hostUsers === false;
const exceptWindows = (check: Check): Check => (pod, names) => isWindows(pod) ? undefined : check(pod, names);
const exceptUserNamespaces = (check: Check): Check => (pod, names) => hasUserNamespace(pod) ? undefined : check(pod, names);

export const privilegeEscalation: Check = (pod) => {
  const bad = containersThat(pod, ({ allowPrivilegeEscalation }) => allowPrivilegeEscalation !== false);
  if (bad.length === 0) return undefined;
  return violation(
    "allowPrivilegeEscalation != false",
    `${containersText(bad)} must set securityContext.allowPrivilegeEscalation=false`,
  );
};
export const privilegeEscalationOfLinux = exceptWindows(privilegeEscalation);

export const appArmorProfile: Check = (pod, names) => {
  const isBad = (context: Context | PodContext) => {
    const { type } = context.appArmorProfile ?? { type: "Localhost" };
    return type !== "RuntimeDefault" && type !== "Localhost";
  };
  const { spec: { securityContext = {} }, metadata: { annotations = {} } } = pod;
  const values: string[] = isBad(securityContext) ? [securityContext.appArmorProfile!.type] : [];
  const containers = containersThat(pod, (context) => {
    if (!isBad(context)) return false;
    values.push(context.appArmorProfile!.type);
    return true;
  });
  const prefix = spell(names, podAnnotations.appArmorOf);
  const bad = Object.entries(annotations).filter(([key, value]) =>
    key.startsWith(prefix) && value !== "" && value !== "runtime/default" && !value.startsWith("localhost/")
  ).map(([key, value]) => `${key}=${goQuote(value)}`);
  const setters = [
    settersOf(isBad(securityContext), containers) ?? "",
    ...(bad.length === 0 ? [] : [counted("annotation", bad.length)]),
  ].filter((text) => text !== "");
  if (setters.length === 0) return undefined;
  const all = [...distinct(values), ...distinct(bad)];
  return violation(
    counted("forbidden AppArmor profile", all.length),
    `${setters.join(" and ")} must not set AppArmor profile type to ${quoted(all)}`,
  );
};

const defaultCapabilities: readonly string[] = [
  "AUDIT_WRITE",
  "CHOWN",
  "DAC_OVERRIDE",
  "FOWNER",
  "FSETID",
  "KILL",
  "MKNOD",
  "NET_BIND_SERVICE",
  "SETFCAP",
  "SETGID",
  "SETPCAP",
  "SETUID",
  "SYS_CHROOT",
];

/** The containers that add other capabilities than these, and what they add. */
function addedCapabilities(pod: PodTemplateSpec, allowed: readonly string[]) {
  const added: string[] = [];
  const containers = containersThat(pod, ({ capabilities }) => {
    const bad = (capabilities?.add ?? []).filter((each) => !allowed.includes(each));
    append(added, bad);
    return bad.length > 0;
  });
  if (containers.length === 0) return undefined;
  return `${containersText(containers)} must not include ${quoted(distinct(added))} in securityContext.capabilities.add`;
}

export const capabilitiesOfBaseline: Check = (pod) => {
  const added = addedCapabilities(pod, defaultCapabilities);
  return added === undefined ? undefined : violation("non-default capabilities", added);
};

export const capabilitiesOfRestricted: Check = (pod) => {
  const undropped = containersThat(pod, ({ capabilities }) => !(capabilities?.drop ?? []).includes("ALL"));
  const added = addedCapabilities(pod, ["NET_BIND_SERVICE"]);
  const details = [
    ...(undropped.length === 0 ? [] : [`${containersText(undropped)} must set securityContext.capabilities.drop=["ALL"]`]),
    ...(added === undefined ? [] : [added]),
  ];
  return details.length === 0 ? undefined : violation("unrestricted capabilities", details.join("; "));
};
export const capabilitiesOfLinux = exceptWindows(capabilitiesOfRestricted);

export const hostNamespaces: Check = ({ spec }) => {
  const used = (["hostNetwork", "hostPID", "hostIPC"] as const).filter((key) => spec[key] === true);
  return used.length === 0 ? undefined : violation("host namespaces", used.map((key) => `${key}=true`).join(", "));
};

export const hostPathVolumes: Check = ({ spec: { volumes = [] } }) => {
  const bad = volumes.filter(({ hostPath }) => hostPath !== undefined).map(({ name }) => name);
  return bad.length === 0 ? undefined : violation("hostPath volumes", `${counted("volume", bad.length)} ${quoted(bad)}`);
};

export const hostPorts: Check = (pod) => {
  const used: string[] = [];
  const bad = containersThat(pod, (_context, { ports = [] }) => {
    const own = ports.map(({ hostPort = 0 }) => hostPort).filter((port) => port !== 0);
    append(used, own.map(String));
    return own.length > 0;
  });
  if (bad.length === 0) return undefined;
  const ports = distinct(used);
  return violation("hostPort", `${containersText(bad)} ${uses(bad.length)} ${counted("hostPort", ports.length)} ${ports.join(", ")}`);
};

interface Handler {
  readonly httpGet?: { readonly host?: string };
  readonly tcpSocket?: { readonly host?: string };
}

export const hostsOfProbes: Check = (pod) => {
  const used: string[] = [];
  const bad = containersThat(pod, (_context, { livenessProbe, readinessProbe, startupProbe, lifecycle }) => {
    const handlers: readonly (Handler | undefined)[] = [
      livenessProbe,
      readinessProbe,
      startupProbe,
      lifecycle?.postStart,
      lifecycle?.preStop,
    ];
    const own = handlers.flatMap((handler) => [handler?.httpGet?.host ?? "", handler?.tcpSocket?.host ?? ""]).filter((host) => host !== "");
    append(used, own);
    return own.length > 0;
  });
  if (bad.length === 0) return undefined;
  const containers = distinct(bad), hosts = distinct(used), reason = "probe or lifecycle host";
  return violation(
    reason,
    `${containersText(containers)} ${uses(containers.length)} ${counted(reason, hosts.length)} ${quoted(hosts)}`,
  );
};

export const privileged: Check = (pod) => {
  const bad = containersThat(pod, (context) => context.privileged === true);
  return bad.length === 0 ? undefined : violation("privileged", `${containersText(bad)} must not set securityContext.privileged=true`);
};

export const procMount: Check = (pod) => {
  const used: string[] = [];
  const bad = containersThat(pod, ({ procMount: type = "Default" }) => {
    if (type !== "Default") used.push(type);
    return type !== "Default";
  });
  if (bad.length === 0) return undefined;
  return violation("procMount", `${containersText(bad)} must not set securityContext.procMount to ${quoted(distinct(used))}`);
};
export const procMountOfHostUsers = exceptUserNamespaces(procMount);

const seLinuxTypes: readonly string[] = ["", "container_t", "container_init_t", "container_kvm_t"];

function seLinuxOptionsWith(allowed: readonly string[]): Check {
  return (pod) => {
    const types: string[] = [];
    let setsUser = false, setsRole = false;
    const isBad = ({ seLinuxOptions: { type = "", user = "", role = "" } = {} }: Context | PodContext) => {
      if (!allowed.includes(type)) types.push(type);
      setsUser ||= user !== "";
      setsRole ||= role !== "";
      return !allowed.includes(type) || user !== "" || role !== "";
    };
    const setters = settersOf(isBad(pod.spec.securityContext ?? {}), containersThat(pod, isBad));
    if (setters === undefined) return undefined;
    const bad = distinct(types);
    const data = [
      ...(bad.length === 0 ? [] : [`${counted("type", bad.length)} ${quoted(bad)}`]),
      ...(setsUser ? ["user may not be set"] : []),
      ...(setsRole ? ["role may not be set"] : []),
    ];
    return violation("seLinuxOptions", `${setters} set forbidden securityContext.seLinuxOptions: ${data.join("; ")}`);
  };
}
export const seLinuxOptions = seLinuxOptionsWith(seLinuxTypes);
export const seLinuxOptionsWithEngine = seLinuxOptionsWith([...seLinuxTypes, "container_engine_t"]);

export const seccompAnnotations: Check = (pod, names) => {
  const { metadata: { annotations = {} }, spec } = pod, prefix = spell(names, podAnnotations.seccompOf);
  const keys = [spell(names, podAnnotations.seccomp), ...everyContainer(spec).map(({ name }) => `${prefix}${name}`)];
  const bad = distinct(keys.flatMap((key) => {
    const value = Object.hasOwn(annotations, key) ? annotations[key]! : "runtime/default";
    const isRight = value === "runtime/default" || value === "docker/default" || value.startsWith("localhost/");
    return isRight ? [] : [`${key}=${goQuote(value)}`];
  }));
  if (bad.length === 0) return undefined;
  return violation("seccompProfile", `forbidden ${counted("annotation", bad.length)} ${bad.join(", ")}`);
};

/** The profiles that are neither of the runtime nor of the node. */
function badSeccomp(pod: PodTemplateSpec): Violation | undefined {
  const types: string[] = [];
  const isBad = ({ seccompProfile }: Context | PodContext) => {
    const type = seccompProfile?.type ?? "RuntimeDefault", isRight = type === "RuntimeDefault" || type === "Localhost";
    if (!isRight) types.push(type);
    return !isRight;
  };
  const setters = settersOf(isBad(pod.spec.securityContext ?? {}), containersThat(pod, isBad));
  if (setters === undefined) return undefined;
  return violation("seccompProfile", `${setters} must not set securityContext.seccompProfile.type to ${quoted(distinct(types))}`);
}
export const seccompOfBaseline: Check = badSeccomp;

export const seccompOfRestricted: Check = (pod) => {
  const bad = badSeccomp(pod);
  if (bad !== undefined || pod.spec.securityContext?.seccompProfile !== undefined) return bad;
  const unset = containersThat(pod, ({ seccompProfile }) => seccompProfile === undefined);
  if (unset.length === 0) return undefined;
  return violation(
    "seccompProfile",
    `pod or ${containersText(unset)} must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"`,
  );
};
export const seccompOfLinux = exceptWindows(seccompOfRestricted);

/** Kernel parameters that are safe, by the minor release from which on they are. */
const sysctlsSince: readonly (readonly [minor: number, ...names: readonly string[]])[] = [
  [
    0,
    "kernel.shm_rmid_forced",
    "net.ipv4.ip_local_port_range",
    "net.ipv4.tcp_syncookies",
    "net.ipv4.ping_group_range",
    "net.ipv4.ip_unprivileged_port_start",
  ],
  [27, "net.ipv4.ip_local_reserved_ports"],
  [
    29,
    "net.ipv4.tcp_keepalive_time",
    "net.ipv4.tcp_fin_timeout",
    "net.ipv4.tcp_keepalive_intvl",
    "net.ipv4.tcp_keepalive_probes",
  ],
  [32, "net.ipv4.tcp_rmem", "net.ipv4.tcp_wmem"],
];

/** The check of kernel parameters in each release that changed it. */
export const sysctls: readonly (readonly [minor: number, check: Check])[] = sysctlsSince.map(([minor]) => {
  const allowed = new Set(sysctlsSince.filter(([since]) => since <= minor).flatMap(([, ...names]) => names));
  const check: Check = ({ spec: { securityContext } }) => {
    const bad = (securityContext?.sysctls ?? []).map(({ name = "" }) => name).filter((name) => !allowed.has(name));
    return bad.length === 0 ? undefined : violation("forbidden sysctls", bad.join(", "));
  };
  return [minor, check];
});

export const hostProcess: Check = (pod) => {
  const isHost = ({ windowsOptions }: Context | PodContext) => windowsOptions?.hostProcess === true;
  const setters = settersOf(isHost(pod.spec.securityContext ?? {}), containersThat(pod, isHost));
  if (setters === undefined) return undefined;
  return violation("hostProcess", `${setters} must not set securityContext.windowsOptions.hostProcess=true`);
};

const restrictedSources = [
  "configMap",
  "csi",
  "downwardAPI",
  "emptyDir",
  "ephemeral",
  "image",
  "persistentVolumeClaim",
  "projected",
  "secret",
];

export const volumeTypes: Check = ({ spec: { volumes = [] } }) => {
  const bad = volumes.filter((volume) => !restrictedSources.some((key) => Object.hasOwn(volume, key)));
  if (bad.length === 0) return undefined;
  const types = distinct(bad.map((volume) => Object.keys(volume).find((key) => key !== "name") ?? "unknown"));
  return violation(
    "restricted volume types",
    `${counted("volume", bad.length)} ${quoted(bad.map(({ name }) => name))} ${uses(bad.length)} ` +
      `${counted("restricted volume type", types.length)} ${quoted(types)}`,
  );
};

export const runAsNonRoot: Check = (pod) => {
  const { runAsNonRoot: ofPod } = pod.spec.securityContext ?? {}, reason = "runAsNonRoot != true";
  const setters = settersOf(ofPod === false, containersThat(pod, ({ runAsNonRoot }) => runAsNonRoot === false));
  if (setters !== undefined) return violation(reason, `${setters} must not set securityContext.runAsNonRoot=false`);
  const unset = ofPod === true ? [] : containersThat(pod, ({ runAsNonRoot }) => runAsNonRoot === undefined);
  if (unset.length === 0) return undefined;
  return violation(reason, `pod or ${containersText(unset)} must set securityContext.runAsNonRoot=true`);
};
export const runAsNonRootOfHostUsers = exceptUserNamespaces(runAsNonRoot);

export const runAsUser: Check = (pod) => {
  const isRoot = ({ runAsUser }: Context | PodContext) => runAsUser !== undefined && Number(runAsUser) === 0;
  const setters = settersOf(isRoot(pod.spec.securityContext ?? {}), containersThat(pod, isRoot));
  return setters === undefined ? undefined : violation("runAsUser=0", `${setters} must not set runAsUser=0`);
};
export const runAsUserOfHostUsers = exceptUserNamespaces(runAsUser);
