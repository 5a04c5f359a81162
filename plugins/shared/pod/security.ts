/** Schemas of security options (core/v1). */
import { boolean, field, type Infer, int64, list, oneOf, string, structsOf } from "../../../plugin.ts";
import { named } from "../../../toolbox.ts";

const struct = structsOf("core/v1");
/** The union of profiles: only the type Localhost has a name or path. */
const localhost = { discriminator: "type", members: { localhostProfile: "LocalhostProfile" } };

export const AppArmorProfile = struct("AppArmorProfile", {
  type: field(
    1,
    named("v1.AppArmorProfileType", oneOf("Localhost", "RuntimeDefault", "Unconfined")),
    "RuntimeDefault, Localhost or Unconfined.",
    { required: true },
  ),
  localhostProfile: field(2, string, "The name of a profile that is loaded on the node. Only for Localhost.", { pointer: true }),
}, { doc: "An AppArmor profile.", union: localhost });
export type AppArmorProfile = Infer<typeof AppArmorProfile>;

export const Capabilities = struct("Capabilities", {
  add: field(1, list(named("v1.Capability", string)), "The added capabilities."),
  drop: field(2, list(named("v1.Capability", string)), "The dropped capabilities."),
}, { doc: "Changes of the container's POSIX capabilities." });
export type Capabilities = Infer<typeof Capabilities>;

export const SELinuxOptions = struct("SELinuxOptions", {
  user: field(1, string, "The user of the label."),
  role: field(2, string, "The role of the label."),
  type: field(3, string, "The type of the label."),
  level: field(4, string, "The level of the label."),
}, { doc: "An SELinux label." });
export type SELinuxOptions = Infer<typeof SELinuxOptions>;

export const SeccompProfile = struct("SeccompProfile", {
  type: field(
    1,
    named("v1.SeccompProfileType", oneOf("Localhost", "RuntimeDefault", "Unconfined")),
    "RuntimeDefault, Localhost or Unconfined.",
    { required: true },
  ),
  localhostProfile: field(
    2,
    string,
    "The path of the profile, relative to the node's directory for seccomp profiles. Only for Localhost.",
    {
      pointer: true,
    },
  ),
}, { doc: "A seccomp profile.", union: localhost });
export type SeccompProfile = Infer<typeof SeccompProfile>;

export const WindowsSecurityContextOptions = struct("WindowsSecurityContextOptions", {
  gmsaCredentialSpecName: field(1, string, "The name of the GMSA credential spec.", { pointer: true }),
  gmsaCredentialSpec: field(2, string, "The content of the GMSA credential spec. Set by admission.", { pointer: true }),
  runAsUserName: field(3, string, "The user name of the main process.", { pointer: true }),
  hostProcess: field(4, boolean, "Whether it is a HostProcess container. Must be equal for all containers of a pod.", { pointer: true }),
}, { doc: "Security options for Windows." });
export type WindowsSecurityContextOptions = Infer<typeof WindowsSecurityContextOptions>;

export const SecurityContext = struct("SecurityContext", {
  capabilities: field(1, Capabilities, "The capabilities to add and drop.", { pointer: true }),
  privileged: field(2, boolean, "Whether the container is privileged: it has the permissions of root on the node.", { pointer: true }),
  seLinuxOptions: field(3, SELinuxOptions, "The SELinux label.", { pointer: true }),
  windowsOptions: field(10, WindowsSecurityContextOptions, "Options for Windows.", { pointer: true }),
  runAsUser: field(4, int64, "The user ID of the main process.", { pointer: true }),
  runAsGroup: field(8, int64, "The group ID of the main process.", { pointer: true }),
  runAsNonRoot: field(5, boolean, "Whether the node refuses to run the container as user 0.", { pointer: true }),
  readOnlyRootFilesystem: field(6, boolean, "Whether the root file system is read-only.", { pointer: true }),
  allowPrivilegeEscalation: field(7, boolean, "Whether a process may get more privileges than its parent.", { pointer: true }),
  procMount: field(9, named("v1.ProcMountType", oneOf("Default", "Unmasked")), "The mount type of /proc: Default or Unmasked.", {
    pointer: true,
  }),
  seccompProfile: field(11, SeccompProfile, "The seccomp profile.", { pointer: true }),
  appArmorProfile: field(12, AppArmorProfile, "The AppArmor profile.", { pointer: true }),
}, { doc: "Security options of a container. They override those of the pod." });
export type SecurityContext = Infer<typeof SecurityContext>;

export const Sysctl = struct("Sysctl", {
  name: field(1, string, "The name of the parameter.", { required: true }),
  value: field(2, string, "The value of the parameter.", { required: true }),
}, { doc: "A kernel parameter." });
export type Sysctl = Infer<typeof Sysctl>;

export const PodSecurityContext = struct("PodSecurityContext", {
  seLinuxOptions: field(1, SELinuxOptions, "The SELinux label.", { pointer: true }),
  windowsOptions: field(8, WindowsSecurityContextOptions, "Options for Windows.", { pointer: true }),
  runAsUser: field(2, int64, "The user ID of the main processes.", { pointer: true }),
  runAsGroup: field(6, int64, "The group ID of the main processes.", { pointer: true }),
  runAsNonRoot: field(3, boolean, "Whether the node refuses to run the containers as user 0.", { pointer: true }),
  supplementalGroups: field(4, list(int64), "Additional group IDs of the main processes."),
  supplementalGroupsPolicy: field(
    12,
    named("v1.SupplementalGroupsPolicy", oneOf("Merge", "Strict")),
    "Merge (the default) adds the groups of the image, Strict does not.",
    {
      pointer: true,
    },
  ),
  fsGroup: field(5, int64, "The group that owns volumes with support for ownership management.", { pointer: true }),
  sysctls: field(7, list(Sysctl), "The namespaced kernel parameters of the pod."),
  fsGroupChangePolicy: field(
    9,
    named("v1.PodFSGroupChangePolicy", oneOf("Always", "OnRootMismatch")),
    "When the ownership of volumes is changed: Always (the default) or OnRootMismatch.",
    { pointer: true },
  ),
  seccompProfile: field(10, SeccompProfile, "The seccomp profile.", { pointer: true }),
  appArmorProfile: field(11, AppArmorProfile, "The AppArmor profile.", { pointer: true }),
  seLinuxChangePolicy: field(
    13,
    named("v1.PodSELinuxChangePolicy", string),
    "How volumes get the SELinux label: Recursive or MountOption.",
    {
      pointer: true,
      gate: "SELinuxChangePolicy",
    },
  ),
}, { doc: "Security options of a pod, and defaults for its containers." });
export type PodSecurityContext = Infer<typeof PodSecurityContext>;
