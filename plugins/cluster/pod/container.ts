/** Containers of pods (core/v1). */
import { pullPolicyOf, ResourceRequirements } from "../../shared/volumes/mod.ts";
import { EnvFromSource, EnvVar } from "./environment.ts";
import { Lifecycle, Probe } from "./probe.ts";
import { SecurityContext } from "./security.ts";
import { boolean, field, type Infer, int32, list, mapBy, named, oneOf, setOf, string, structsOf } from "../../../core/schema.ts";

const struct = structsOf("core/v1");

export const ContainerPort = struct("ContainerPort", {
  name: field(1, string, "Name of the port, for services and probes."),
  hostPort: field(2, int32, "Port of the node that leads to it."),
  containerPort: field(3, int32, "Number of the port.", { required: true }),
  protocol: field(4, named("v1.Protocol", oneOf("SCTP", "TCP", "UDP")), "TCP (the default), UDP or SCTP.", { default: "TCP" }),
  hostIP: field(5, string, "Address of the node on which hostPort is open."),
}, { doc: "A port of a container." });
export type ContainerPort = Infer<typeof ContainerPort>;

export const ContainerResizePolicy = struct("ContainerResizePolicy", {
  resourceName: field(1, named("v1.ResourceName", string), "cpu or memory.", { required: true }),
  restartPolicy: field(2, named("v1.ResourceResizeRestartPolicy", string), "NotRequired or RestartContainer.", { required: true }),
}, { doc: "What happens to a container when one of its resources changes." });
export type ContainerResizePolicy = Infer<typeof ContainerResizePolicy>;

export const ContainerRestartRuleOnExitCodes = struct("ContainerRestartRuleOnExitCodes", {
  operator: field(1, named("v1.ContainerRestartRuleOnExitCodesOperator", string), "In or NotIn.", { required: true, written: "omitEmpty" }),
  values: field(2, setOf(int32), "The codes, 255 of them at most."),
}, { doc: "Exit codes of a container." });
export type ContainerRestartRuleOnExitCodes = Infer<typeof ContainerRestartRuleOnExitCodes>;

export const ContainerRestartRule = struct("ContainerRestartRule", {
  action: field(1, named("v1.ContainerRestartRuleAction", string), "Restart, or RestartAllContainers where that is known.", {
    required: true,
    written: "omitEmpty",
  }),
  exitCodes: field(2, ContainerRestartRuleOnExitCodes, "Exit codes for which the rule is.", { pointer: true }),
}, { doc: "When a container is started again, whatever its policy says." });
export type ContainerRestartRule = Infer<typeof ContainerRestartRule>;

export const VolumeDevice = struct("VolumeDevice", {
  name: field(1, string, "Name of the volume, which is a claim.", { required: true }),
  devicePath: field(2, string, "Path of the device in the container.", { required: true }),
}, { doc: "A raw block volume in a container." });
export type VolumeDevice = Infer<typeof VolumeDevice>;

export const VolumeMount = struct("VolumeMount", {
  name: field(1, string, "Name of the volume.", { required: true }),
  readOnly: field(2, boolean, "Whether it is mounted for reading only."),
  recursiveReadOnly: field(
    7,
    named("v1.RecursiveReadOnlyMode", string),
    "Whether what is mounted inside is for reading only too: Disabled, IfPossible or Enabled.",
    {
      pointer: true,
    },
  ),
  mountPath: field(3, string, 'Path in the container, without ":".', { required: true }),
  subPath: field(4, string, "Path in the volume that is mounted; its root if empty."),
  mountPropagation: field(
    5,
    named("v1.MountPropagationMode", oneOf("Bidirectional", "HostToContainer", "None")),
    "Whether mounts made later are seen: None (the default), HostToContainer or Bidirectional.",
    { pointer: true },
  ),
  subPathExpr: field(6, string, "As subPath, with $(NAME) for variables; not together with it."),
}, { doc: "A volume in a container." });
export type VolumeMount = Infer<typeof VolumeMount>;

const ports = mapBy(["containerPort", "protocol"], ContainerPort);
const portsMerge = { patch: { strategy: ["merge"], mergeKey: "containerPort" } } as const;
const containerFields = {
  name: field(1, string, "Name of the container, a DNS label that is unique in the pod.", { required: true }),
  image: field(2, string, "Image that it runs."),
  command: field(3, list(string), "What is run in place of what the image says; no shell is around it."),
  args: field(4, list(string), "Arguments in place of those of the image."),
  workingDir: field(5, string, "Working directory, in place of that of the image."),
  ports: field(6, ports, "Ports that it is known to have; others are open all the same.", portsMerge),
  envFrom: field(19, list(EnvFromSource), "Places from which variables are taken; later ones win, env wins over all."),
  env: field(7, mapBy(["name"], EnvVar), "Variables of the environment.", { patch: { strategy: ["merge"], mergeKey: "name" } }),
  resources: field(8, ResourceRequirements, "What it needs and what it may use.", { written: "always" }),
  resizePolicy: field(23, list(ContainerResizePolicy), "What happens to it when its resources change."),
  restartPolicy: field(
    24,
    named("v1.ContainerRestartPolicy", string),
    "When it is started again: Always makes an init container go on beside the others.",
    { pointer: true },
  ),
  restartPolicyRules: field(25, list(ContainerRestartRule), "Exit codes for which it is started again, whatever the policy says."),
  volumeMounts: field(9, mapBy(["mountPath"], VolumeMount), "Volumes in its file system.", {
    patch: { strategy: ["merge"], mergeKey: "mountPath" },
  }),
  volumeDevices: field(21, mapBy(["devicePath"], VolumeDevice), "Raw block volumes.", {
    patch: { strategy: ["merge"], mergeKey: "devicePath" },
  }),
  livenessProbe: field(10, Probe, "When it fails, the container is started again.", { pointer: true }),
  readinessProbe: field(11, Probe, "While it fails, the pod gets no requests from services.", { pointer: true }),
  startupProbe: field(22, Probe, "Until it is well, no other probe is asked.", { pointer: true }),
  lifecycle: field(12, Lifecycle, "What is done when it starts and before it ends.", { pointer: true }),
  terminationMessagePath: field(13, string, "File whose content tells why it ended, /dev/termination-log unless said otherwise."),
  terminationMessagePolicy: field(
    20,
    named("v1.TerminationMessagePolicy", oneOf("FallbackToLogsOnError", "File")),
    "File (the default), or FallbackToLogsOnError to take the end of its log where the file is empty.",
  ),
  imagePullPolicy: field(
    14,
    named("v1.PullPolicy", oneOf("Always", "IfNotPresent", "Never")),
    "Always, IfNotPresent or Never; Always for the tag latest, IfNotPresent otherwise, unless said.",
  ),
  securityContext: field(15, SecurityContext, "With what rights it runs.", { pointer: true }),
  stdin: field(16, boolean, "Whether it has an input."),
  stdinOnce: field(17, boolean, "Whether the input ends with the first client that leaves."),
  tty: field(18, boolean, "Whether it has a terminal; needs stdin."),
};

export const Container = struct("Container", containerFields, { doc: "A container of a pod.", fill: containerDefaults });
export type Container = Infer<typeof Container>;

export const EphemeralContainerCommon = struct("EphemeralContainerCommon", {
  ...containerFields,
  ports: field(6, ports, "None; ephemeral containers have no ports.", portsMerge),
  livenessProbe: field(10, Probe, "None; ephemeral containers are not probed.", { pointer: true }),
  readinessProbe: field(11, Probe, "None; ephemeral containers are not probed.", { pointer: true }),
  startupProbe: field(22, Probe, "None; ephemeral containers are not probed.", { pointer: true }),
  lifecycle: field(12, Lifecycle, "None; ephemeral containers have no such turns.", { pointer: true }),
}, { doc: "What an ephemeral container has in common with others.", fill: containerDefaults });
export type EphemeralContainerCommon = Infer<typeof EphemeralContainerCommon>;

export const EphemeralContainer = struct("EphemeralContainer", {
  common: field(1, EphemeralContainerCommon, "What it has in common with other containers.", { inline: true }),
  targetContainerName: field(2, string, "Container whose processes it sees."),
}, { doc: "A container that is put into a running pod to look after it; templates have none." });
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
