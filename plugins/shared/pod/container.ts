/** Schemas of containers (core/v1). */
import { pullPolicyOf, ResourceRequirements } from "../volumes/mod.ts";
import { EnvFromSource, EnvVar } from "./environment.ts";
import { Lifecycle, Probe } from "./probe.ts";
import { SecurityContext } from "./security.ts";
import { boolean, field, type Infer, int32, list, mapBy, oneOf, setOf, string, structsOf } from "../../../plugin.ts";
import { named } from "../../../toolbox.ts";
import { keepingEmpty } from "../keeping-empty.ts";

const struct = structsOf("core/v1");

export const ContainerPort = struct("ContainerPort", {
  name: field(1, string, "The name of the port, for services and probes."),
  hostPort: field(2, int32, "The port of the node that is mapped to it."),
  containerPort: field(3, int32, "The port number.", { required: true }),
  protocol: field(4, named("v1.Protocol", oneOf("SCTP", "TCP", "UDP")), "TCP (the default), UDP or SCTP.", {
    default: "TCP",
    zeroIsAbsent: true,
  }),
  hostIP: field(5, string, "The IP address of the node to which hostPort is bound."),
}, { doc: "A port of a container." });
export type ContainerPort = Infer<typeof ContainerPort>;

export const ContainerResizePolicy = struct("ContainerResizePolicy", {
  resourceName: field(1, named("v1.ResourceName", string), "cpu or memory.", { required: true }),
  restartPolicy: field(2, named("v1.ResourceResizeRestartPolicy", string), "NotRequired or RestartContainer.", { required: true }),
}, { doc: "Whether a resize of a resource restarts the container." });
export type ContainerResizePolicy = Infer<typeof ContainerResizePolicy>;

export const ContainerRestartRuleOnExitCodes = struct("ContainerRestartRuleOnExitCodes", {
  operator: field(1, named("v1.ContainerRestartRuleOnExitCodesOperator", string), "In or NotIn.", { required: true, written: "omitEmpty" }),
  values: field(2, setOf(int32), "The exit codes, at most 255."),
}, { doc: "A condition on the exit code of a container." });
export type ContainerRestartRuleOnExitCodes = Infer<typeof ContainerRestartRuleOnExitCodes>;

export const ContainerRestartRule = struct("ContainerRestartRule", {
  action: field(1, named("v1.ContainerRestartRuleAction", string), "Restart, or RestartAllContainers if it is supported.", {
    required: true,
    written: "omitEmpty",
  }),
  exitCodes: field(2, ContainerRestartRuleOnExitCodes, "The exit codes that the rule applies to.", { pointer: true }),
}, { doc: "A rule for restarting a container. It takes precedence over restartPolicy." });
export type ContainerRestartRule = Infer<typeof ContainerRestartRule>;

export const VolumeDevice = struct("VolumeDevice", {
  name: field(1, string, "The name of the volume, which must be a claim.", { required: true }),
  devicePath: field(2, string, "The path of the device in the container.", { required: true }),
}, { doc: "A raw block volume in a container." });
export type VolumeDevice = Infer<typeof VolumeDevice>;

export const VolumeMount = struct("VolumeMount", {
  name: field(1, string, "The name of the volume.", { required: true }),
  readOnly: field(2, boolean, "Whether the mount is read-only."),
  recursiveReadOnly: field(
    7,
    named("v1.RecursiveReadOnlyMode", string),
    "Whether mounts inside the volume are read-only too: Disabled, IfPossible or Enabled.",
    {
      pointer: true,
    },
  ),
  mountPath: field(3, string, 'The path in the container. It must not contain ":".', { required: true }),
  subPath: field(4, string, "The path in the volume to mount. Default: the root of the volume."),
  mountPropagation: field(
    5,
    named("v1.MountPropagationMode", oneOf("Bidirectional", "HostToContainer", "None")),
    "The propagation of later mounts: None (the default), HostToContainer or Bidirectional.",
    { pointer: true },
  ),
  subPathExpr: field(6, string, "As subPath, with $(NAME) expanded from the environment. Excludes subPath."),
}, { doc: "A mount of a volume in a container." });
export type VolumeMount = Infer<typeof VolumeMount>;

const ports = mapBy(["containerPort", "protocol"], ContainerPort);
const portsMerge = { patch: { strategy: ["merge"], mergeKey: "containerPort" } } as const;
const containerFields = {
  name: field(1, string, "The name of the container: a DNS label that is unique in the pod.", { required: true }),
  image: field(2, string, "The image of the container."),
  command: field(3, list(string), "The entrypoint, without a shell. Overrides that of the image."),
  args: field(4, list(string), "The arguments of the entrypoint. Override those of the image."),
  workingDir: field(5, string, "The working directory. Overrides that of the image."),
  ports: field(6, ports, "The ports of the container. Informational: other ports are accessible too.", portsMerge),
  envFrom: field(19, list(EnvFromSource), "Sources of environment variables. Later sources take precedence, and env over all."),
  env: field(7, mapBy(["name"], EnvVar), "Environment variables.", { patch: { strategy: ["merge"], mergeKey: "name" } }),
  resources: field(8, ResourceRequirements, "The resource requests and limits of the container.", { written: "always" }),
  resizePolicy: field(23, list(ContainerResizePolicy), "The resize policy of each resource."),
  restartPolicy: field(
    24,
    named("v1.ContainerRestartPolicy", string),
    "The restart policy of the container. Always makes an init container a sidecar.",
    { pointer: true },
  ),
  restartPolicyRules: field(25, list(ContainerRestartRule), "Rules for restarts by exit code. They take precedence over restartPolicy."),
  volumeMounts: field(9, mapBy(["mountPath"], VolumeMount), "The volumes that are mounted into the file system.", {
    patch: { strategy: ["merge"], mergeKey: "mountPath" },
  }),
  volumeDevices: field(21, mapBy(["devicePath"], VolumeDevice), "The raw block volumes.", {
    patch: { strategy: ["merge"], mergeKey: "devicePath" },
  }),
  livenessProbe: field(10, Probe, "If it fails, the container is restarted.", { pointer: true }),
  readinessProbe: field(11, Probe, "While it fails, the pod is removed from service endpoints.", { pointer: true }),
  startupProbe: field(22, Probe, "Until it succeeds, no other probe runs.", { pointer: true }),
  lifecycle: field(12, Lifecycle, "The lifecycle hooks of the container.", { pointer: true }),
  terminationMessagePath: field(13, string, "The file with the termination message. Default /dev/termination-log."),
  terminationMessagePolicy: field(
    20,
    named("v1.TerminationMessagePolicy", oneOf("FallbackToLogsOnError", "File")),
    "The source of the termination message: File (the default), or FallbackToLogsOnError to use the end of the log if the file is empty.",
  ),
  imagePullPolicy: field(
    14,
    named("v1.PullPolicy", oneOf("Always", "IfNotPresent", "Never")),
    "Always, IfNotPresent or Never. Default: Always for the tag latest, else IfNotPresent.",
  ),
  securityContext: field(15, SecurityContext, "The security options of the container.", { pointer: true }),
  stdin: field(16, boolean, "Whether the container has a standard input."),
  stdinOnce: field(17, boolean, "Whether the standard input is closed when the first client disconnects."),
  tty: field(18, boolean, "Whether the container has a terminal. Requires stdin."),
};

export const Container = struct("Container", containerFields, { doc: "A container of a pod.", applyDefaults: containerDefaults });
export type Container = Infer<typeof Container>;

export const EphemeralContainerCommon = struct("EphemeralContainerCommon", {
  ...containerFields,
  // Upstream refuses also empty ones.
  ports: field(6, ports, "An ephemeral container cannot have any.", { ...portsMerge, keepsEmpty: true }),
  resources: field(8, keepingEmpty(ResourceRequirements), "An ephemeral container cannot have any.", { written: "always" }),
  resizePolicy: field(23, list(ContainerResizePolicy), "An ephemeral container cannot have any.", { keepsEmpty: true }),
  restartPolicyRules: field(25, list(ContainerRestartRule), "An ephemeral container cannot have any.", { keepsEmpty: true }),
  livenessProbe: field(10, Probe, "An ephemeral container cannot have any.", { pointer: true }),
  readinessProbe: field(11, Probe, "An ephemeral container cannot have any.", { pointer: true }),
  startupProbe: field(22, Probe, "An ephemeral container cannot have any.", { pointer: true }),
  lifecycle: field(12, Lifecycle, "An ephemeral container cannot have any.", { pointer: true }),
}, { doc: "The fields that ephemeral containers share with other containers.", applyDefaults: containerDefaults });
export type EphemeralContainerCommon = Infer<typeof EphemeralContainerCommon>;

export const EphemeralContainer = struct("EphemeralContainer", {
  common: field(1, EphemeralContainerCommon, "The fields shared with other containers.", { inline: true }),
  targetContainerName: field(2, string, "The container whose process namespace it shares."),
}, { doc: "A container that is added to a running pod for debugging. Templates have none." });
export type EphemeralContainer = Infer<typeof EphemeralContainer>;

interface Defaulted {
  readonly image?: string;
  readonly imagePullPolicy?: string;
  readonly terminationMessagePath?: string;
  readonly terminationMessagePolicy?: string;
}
function containerDefaults(self: Defaulted): Defaulted {
  const { image = "", imagePullPolicy = "", terminationMessagePath = "", terminationMessagePolicy = "" } = self;
  if (imagePullPolicy !== "" && terminationMessagePath !== "" && terminationMessagePolicy !== "") return self;
  return {
    ...self,
    imagePullPolicy: imagePullPolicy || pullPolicyOf(image),
    terminationMessagePath: terminationMessagePath || "/dev/termination-log",
    terminationMessagePolicy: terminationMessagePolicy || "File",
  };
}
