/** With what rights pods and containers run (core/v1). */
import { boolean, field, type Infer, int64, list, named, oneOf, string, structsOf } from "../../../core/schema.ts";

const struct = structsOf("core/v1");
/** Of the types of a profile one needs a name or path. */
const localhost = { discriminator: "type", members: { localhostProfile: "LocalhostProfile" } };

export const AppArmorProfile = struct("AppArmorProfile", {
  type: field(
    1,
    named("v1.AppArmorProfileType", oneOf("Localhost", "RuntimeDefault", "Unconfined")),
    "RuntimeDefault, Localhost or Unconfined.",
    { required: true },
  ),
  localhostProfile: field(2, string, "Name of a profile that is loaded on the node; only for Localhost.", { pointer: true }),
}, { doc: "A profile of AppArmor.", union: localhost });
export type AppArmorProfile = Infer<typeof AppArmorProfile>;

export const Capabilities = struct("Capabilities", {
  add: field(1, list(named("v1.Capability", string)), "Powers that are added."),
  drop: field(2, list(named("v1.Capability", string)), "Powers that are taken away."),
}, { doc: "What of the powers of root a container has." });
export type Capabilities = Infer<typeof Capabilities>;

export const SELinuxOptions = struct("SELinuxOptions", {
  user: field(1, string, "User of the label."),
  role: field(2, string, "Role of the label."),
  type: field(3, string, "Type of the label."),
  level: field(4, string, "Level of the label."),
}, { doc: "A label of SELinux." });
export type SELinuxOptions = Infer<typeof SELinuxOptions>;

export const SeccompProfile = struct("SeccompProfile", {
  type: field(
    1,
    named("v1.SeccompProfileType", oneOf("Localhost", "RuntimeDefault", "Unconfined")),
    "RuntimeDefault, Localhost or Unconfined.",
    { required: true },
  ),
  localhostProfile: field(2, string, "Path of a file with the profile below the folder of the node for them; only for Localhost.", {
    pointer: true,
  }),
}, { doc: "A profile of seccomp.", union: localhost });
export type SeccompProfile = Infer<typeof SeccompProfile>;

export const WindowsSecurityContextOptions = struct("WindowsSecurityContextOptions", {
  gmsaCredentialSpecName: field(1, string, "Name of the group managed service account.", { pointer: true }),
  gmsaCredentialSpec: field(2, string, "The account itself, written by an admission step.", { pointer: true }),
  runAsUserName: field(3, string, "User of the main process.", { pointer: true }),
  hostProcess: field(4, boolean, "Whether the container runs on the node itself; the same for all containers of a pod.", { pointer: true }),
}, { doc: "How containers run on Windows." });
export type WindowsSecurityContextOptions = Infer<typeof WindowsSecurityContextOptions>;

export const SecurityContext = struct("SecurityContext", {
  capabilities: field(1, Capabilities, "Powers of root.", { pointer: true }),
  privileged: field(2, boolean, "Whether it runs as root of the node does.", { pointer: true }),
  seLinuxOptions: field(3, SELinuxOptions, "Label of SELinux.", { pointer: true }),
  windowsOptions: field(10, WindowsSecurityContextOptions, "For Windows only.", { pointer: true }),
  runAsUser: field(4, int64, "User id of the main process.", { pointer: true }),
  runAsGroup: field(8, int64, "Group id of the main process.", { pointer: true }),
  runAsNonRoot: field(5, boolean, "Whether the node refuses to run it as user 0.", { pointer: true }),
  readOnlyRootFilesystem: field(6, boolean, "Whether its root file system cannot be written.", { pointer: true }),
  allowPrivilegeEscalation: field(7, boolean, "Whether a process may get more rights than its parent.", { pointer: true }),
  procMount: field(9, named("v1.ProcMountType", oneOf("Default", "Unmasked")), "How /proc is shown: Default or Unmasked.", {
    pointer: true,
  }),
  seccompProfile: field(11, SeccompProfile, "Profile of seccomp.", { pointer: true }),
  appArmorProfile: field(12, AppArmorProfile, "Profile of AppArmor.", { pointer: true }),
}, { doc: "With what rights a container runs; goes before what the pod says." });
export type SecurityContext = Infer<typeof SecurityContext>;

export const Sysctl = struct("Sysctl", {
  name: field(1, string, "Name of the parameter.", { required: true }),
  value: field(2, string, "Its value.", { required: true }),
}, { doc: "A parameter of the kernel." });
export type Sysctl = Infer<typeof Sysctl>;

export const PodSecurityContext = struct("PodSecurityContext", {
  seLinuxOptions: field(1, SELinuxOptions, "Label of SELinux.", { pointer: true }),
  windowsOptions: field(8, WindowsSecurityContextOptions, "For Windows only.", { pointer: true }),
  runAsUser: field(2, int64, "User id of the main processes.", { pointer: true }),
  runAsGroup: field(6, int64, "Group id of the main processes.", { pointer: true }),
  runAsNonRoot: field(3, boolean, "Whether the node refuses to run them as user 0.", { pointer: true }),
  supplementalGroups: field(4, list(int64), "More groups of the main processes."),
  supplementalGroupsPolicy: field(
    12,
    named("v1.SupplementalGroupsPolicy", oneOf("Merge", "Strict")),
    "Merge (the default) adds those of the image, Strict does not.",
    {
      pointer: true,
    },
  ),
  fsGroup: field(5, int64, "Group that owns volumes which allow that.", { pointer: true }),
  sysctls: field(7, list(Sysctl), "Parameters of the kernel for the pod."),
  fsGroupChangePolicy: field(
    9,
    named("v1.PodFSGroupChangePolicy", oneOf("Always", "OnRootMismatch")),
    "When owners of files in volumes are changed: Always (the default) or OnRootMismatch.",
    { pointer: true },
  ),
  seccompProfile: field(10, SeccompProfile, "Profile of seccomp.", { pointer: true }),
  appArmorProfile: field(11, AppArmorProfile, "Profile of AppArmor.", { pointer: true }),
  seLinuxChangePolicy: field(
    13,
    named("v1.PodSELinuxChangePolicy", string),
    "How volumes get the label of SELinux: Recursive or MountOption.",
    {
      pointer: true,
      gate: "SELinuxChangePolicy",
    },
  ),
}, { doc: "With what rights the containers of a pod run." });
export type PodSecurityContext = Infer<typeof PodSecurityContext>;
