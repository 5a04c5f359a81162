/** Validation of security options, with upstream's order and texts. */
import { duplicate, type FieldError, invalid, required } from "../../../plugin.ts";
import { utf8Length } from "../../../toolbox.ts";
import { validateLocalPath } from "../volumes/rules.ts";
import type { ValidationOptions } from "./validation-options.ts";
import type { PodSpec } from "./pod-spec.ts";
import { validateEnum } from "./rules.ts";
import type { AppArmorProfile, PodSecurityContext, SeccompProfile, SecurityContext, Sysctl } from "./security.ts";
import { validateWindowsOptions } from "./validate-windows.ts";

const idMax = 2 ** 31 - 1;
/** Checks the ID of a user or of a group. */
export function validateId(id: number | bigint | undefined, path: string): readonly FieldError[] {
  if (id === undefined || (id >= 0 && id <= idMax)) return [];
  return [invalid(path, id, `must be between 0 and ${idMax}, inclusive`)];
}

/** Validates the options of a container. `hostUsers` is false for a pod with its own user namespace. */
export function validateSecurityContext(context: SecurityContext, hostUsers: boolean, path: string): readonly FieldError[] {
  return [
    ...validateId(context.runAsUser, `${path}.runAsUser`),
    ...validateId(context.runAsGroup, `${path}.runAsGroup`),
    ...validateEnum(context.procMount, ["Default", "Unmasked"], `${path}.procMount`),
    ...(hostUsers && context.procMount === "Unmasked"
      ? [invalid(`${path}.procMount`, context.procMount, "`hostUsers` must be false to use `Unmasked`")]
      : []),
    ...validateSeccomp(context.seccompProfile, `${path}.seccompProfile`),
    ...validateEscalation(context, path),
    ...validateWindowsOptions(context.windowsOptions, `${path}.windowsOptions`),
    ...validateAppArmor(context.appArmorProfile, `${path}.appArmorProfile`),
  ];
}

/** Rejects allowPrivilegeEscalation false for privileged containers and those with CAP_SYS_ADMIN. */
function validateEscalation(context: SecurityContext, path: string): readonly FieldError[] {
  const { allowPrivilegeEscalation, privileged, capabilities: { add = [] } = {} } = context;
  if (allowPrivilegeEscalation !== false) return [];
  return [
    ...(privileged ? [invalid(path, context, "cannot set `allowPrivilegeEscalation` to false and `privileged` to true")] : []),
    ...add.filter((each) => each === "CAP_SYS_ADMIN").map(() =>
      invalid(path, context, "cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN")
    ),
  ];
}

const profileTypes = ["Localhost", "RuntimeDefault", "Unconfined"];

function validateSeccomp(profile: SeccompProfile | undefined, path: string): readonly FieldError[] {
  if (profile === undefined) return [];
  const { localhostProfile: local } = profile, type: string = profile.type, at = `${path}.localhostProfile`;
  const errors = type === ""
    ? [required(`${path}.type`, "type is required when seccompProfile is set")]
    : [...validateEnum(type, profileTypes, `${path}.type`)];
  if (type !== "Localhost") {
    return local === undefined ? errors : [...errors, invalid(at, profile, "can only be set when seccomp type is Localhost")];
  }
  if (local === undefined) return [...errors, required(at, "must be set when seccomp type is Localhost")];
  return [...errors, ...validateLocalPath(local, at)];
}

const localProfileBytesMax = 4095;
function validateAppArmor(profile: AppArmorProfile | undefined, path: string): readonly FieldError[] {
  if (profile === undefined) return [];
  const { localhostProfile: local } = profile, type: string = profile.type, at = `${path}.localhostProfile`;
  if (type === "") return [required(`${path}.type`, "type is required when appArmorProfile is set")];
  if (!profileTypes.includes(type)) return validateEnum(type, profileTypes, `${path}.type`);
  if (type !== "Localhost") return local === undefined ? [] : [invalid(at, local, "can only be set when AppArmor type is Localhost")];
  if (local === undefined) return [required(at, "must be set when AppArmor type is Localhost")];
  return [
    ...(local.trim() === local ? [] : [invalid(at, local, "must not be padded with whitespace")]),
    ...(local === "" ? [required(at, "must be set when AppArmor type is Localhost")] : []),
    ...(utf8Length(local) > localProfileBytesMax
      ? [{ type: "TooLong" as const, path: at, detail: `may not be more than ${localProfileBytesMax} bytes` }]
      : []),
  ];
}

export function validatePodSecurityContext(
  context: PodSecurityContext,
  spec: PodSpec,
  options: ValidationOptions,
  path: string,
): readonly FieldError[] {
  const { supplementalGroups = [], sysctls = [] } = context;
  return [
    ...validateId(context.fsGroup, `${path}.fsGroup`),
    ...validateId(context.runAsUser, `${path}.runAsUser`),
    ...validateId(context.runAsGroup, `${path}.runAsGroup`),
    ...supplementalGroups.flatMap((group, i) => validateId(group, `${path}.supplementalGroups[${i}]`)),
    ...(spec.hostPID && spec.shareProcessNamespace
      ? [invalid(`${path}.shareProcessNamespace`, true, "ShareProcessNamespace and HostPID cannot both be enabled")]
      : []),
    ...validateSysctls(sysctls, spec, options, `${path}.sysctls`),
    ...validateEnum(context.fsGroupChangePolicy, ["Always", "OnRootMismatch"], `${path}.fsGroupChangePolicy`),
    ...validateSeccomp(context.seccompProfile, `${path}.seccompProfile`),
    ...validateWindowsOptions(context.windowsOptions, `${path}.windowsOptions`),
    ...validateAppArmor(context.appArmorProfile, `${path}.appArmorProfile`),
    ...validateEnum(context.supplementalGroupsPolicy, ["Merge", "Strict"], `${path}.supplementalGroupsPolicy`),
    ...validateEnum(
      context.seLinuxChangePolicy,
      [...options.mountLabels ? ["MountOption"] : [], "Recursive"],
      `${path}.seLinuxChangePolicy`,
    ),
  ];
}

const sysctlNameMax = 253;
const sysctlPattern = "^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$";

function validateSysctls(sysctls: readonly Sysctl[], spec: PodSpec, options: ValidationOptions, path: string): readonly FieldError[] {
  const seen = new Set<string>();
  return sysctls.flatMap(({ name }, i) => {
    const at = `${path}[${i}].name`;
    const again = seen.has(name);
    seen.add(name);
    const errors: FieldError[] = [];
    if (name === "") errors.push(required(at, ""));
    else if (!isSysctlName(name)) {
      errors.push(invalid(at, name, `must have at most ${sysctlNameMax} characters and match regex ${sysctlPattern}`));
    } else if (again) errors.push(duplicate(at, name));
    return options.sysctls ? errors : [...errors, ...validateHostSysctl(name, spec, at)];
  });
}

const ipcParameters = ["sem", "shmall", "shmmax", "shmmni", "shm_rmid_forced", "shm", "msgmax", "msgmnb", "msgmni", "msg"];

/** Rejects sysctls of the network or IPC namespace if the pod uses that namespace of the node. */
export function validateHostSysctl(
  name: string,
  { hostNetwork, hostIPC }: Pick<PodSpec, "hostNetwork" | "hostIPC">,
  path: string,
): readonly FieldError[] {
  const dotted = withDots(name).split("*", 1)[0]!; // `!`: split returns at least one part
  const ofIpc = ipcParameters.some((each) => dotted === `kernel.${each}`) || dotted.startsWith("fs.mqueue.");
  if (hostNetwork && dotted.startsWith("net.")) return [invalid(path, name, "may not be specified when 'hostNetwork' is true")];
  return hostIPC && ofIpc ? [invalid(path, name, "may not be specified when 'hostIPC' is true")] : [];
}
/** Normalizes the separator. If the first one is a slash, slashes and dots are swapped: `net/ipv4/conf/eno2.100/rp_filter` becomes
 *  `net.ipv4.conf.eno2/100.rp_filter`. */
function withDots(name: string): string {
  if (/[./]/.exec(name)?.[0] !== "/") return name;
  return name.replaceAll(/[./]/g, (sign) => sign === "." ? "/" : ".");
}
/** Checks a sysctl name segment by segment, so that the patterns are linear. */
function isSysctlName(name: string): boolean {
  return name.length <= sysctlNameMax && name.split(/[./]/).every((part) => /^[a-z0-9]/.test(part) && /^[-_a-z0-9]*[a-z0-9]$/.test(part));
}
