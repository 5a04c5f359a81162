/** Validation of Windows options, and of fields that depend on the operating system, with upstream's order and texts. */
import { type FieldError, forbidden, invalid } from "../../../plugin.ts";
import { dns1123Subdomain, utf8Length } from "../../../toolbox.ts";
import { containersWithPaths } from "./containers-of.ts";
import type { PodSpec } from "./pod-spec.ts";
import { validateByRule } from "./rules.ts";
import type { WindowsSecurityContextOptions } from "./security.ts";

const credentialKibMax = 64, domainCharactersMax = 255, userCharactersMax = 104;

export function validateWindowsOptions(options: WindowsSecurityContextOptions | undefined, path: string): readonly FieldError[] {
  const { gmsaCredentialSpecName: name, gmsaCredentialSpec: spec, runAsUserName: user } = options ?? {};
  const at = `${path}.gmsaCredentialSpec`;
  return [
    ...(name === undefined ? [] : validateByRule(dns1123Subdomain, name, `${path}.gmsaCredentialSpecName`)),
    ...(spec === "" ? [invalid(at, spec, "gmsaCredentialSpec cannot be an empty string")] : []),
    ...(utf8Length(spec ?? "") > credentialKibMax * 1024
      ? [invalid(at, spec, `gmsaCredentialSpec size must be under ${credentialKibMax} KiB`)]
      : []),
    ...(user === undefined ? [] : userMistakes(user).map((wrong) => invalid(`${path}.runAsUserName`, user, `runAsUserName${wrong}`))),
  ];
}

/** The problems of `DOMAIN\user` or `user`. Each text is appended to the name of the field. */
function userMistakes(name: string): readonly string[] {
  if (name === "") return [" cannot be an empty string"];
  // deno-lint-ignore no-control-regex -- the check is for control characters
  if (/[\x00-\x1f\x7f]/.test(name)) return [" cannot contain control characters"];
  const parts = name.split("\\");
  if (parts.length > 2) return [" cannot contain more than one backslash"];
  const [user = "", domain] = parts.toReversed();
  return [
    ...(utf8Length(domain ?? "") > domainCharactersMax ? [`'s Domain length must be under ${domainCharactersMax + 1} characters`] : []),
    ...(domain === undefined || isNetBios(domain) || isDnsName(domain) ? [] : ["'s Domain doesn't match the NetBios nor the DNS format"]),
    ...(user === "" ? ["'s User cannot be empty"] : []),
    ...(utf8Length(user) > userCharactersMax ? [`'s User length must not be longer than ${userCharactersMax} characters`] : []),
    ...(/^[. ]+$/.test(user) ? ["'s User cannot contain only periods or spaces"] : []),
    ...(/["/\\:;|=,+*?<>@[\]]/.test(user) ? [`'s User cannot contain the following characters: "/\\:;|=,+*?<>@[]`] : []),
  ];
}
function isNetBios(domain: string): boolean {
  return /^[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}$/u.test(domain);
}
/** Checks a DNS name label by label, so that the pattern is linear. */
function isDnsName(domain: string): boolean {
  return domain.split(".").every((part) => /^[a-zA-Z0-9]([a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?$/.test(part));
}

/** Checks HostProcess containers: all containers of a pod or none, and only with hostNetwork. */
export function validateHostProcess(spec: PodSpec, path: string): readonly FieldError[] {
  const ofPod = spec.securityContext?.windowsOptions?.hostProcess;
  const containers = containersWithPaths(spec, path);
  const own = containers.map(([{ securityContext }]) => securityContext?.windowsOptions?.hostProcess);
  const errors = containers.flatMap(([, at], i): readonly FieldError[] =>
    ofPod === undefined || own[i] === undefined || own[i] === ofPod ? [] : [invalid(
      `${at}.securityContext.windowsOptions.hostProcess`,
      own[i],
      `pod hostProcess value must be identical if both are specified, was ${ofPod}`,
    )]
  );
  const count = own.filter((each) => each ?? ofPod ?? false).length;
  if (count === 0) return errors;
  return [
    ...errors,
    ...(count === containers.length
      ? []
      : [invalid(path, "", "If pod contains any hostProcess containers then all containers must be HostProcess containers")]),
    ...(spec.hostNetwork
      ? []
      : [invalid(`${path}.hostNetwork`, false, "hostNetwork must be true if pod contains any hostProcess containers")]),
  ];
}

/** Rejects fields that the operating system in `os.name` does not support. */
export function validateForOS(spec: PodSpec, path: string): readonly FieldError[] {
  if (spec.os?.name === "windows") return validateForWindows(spec, path);
  return spec.os?.name === "linux" ? validateForLinux(spec, path) : [];
}

function validateForLinux(spec: PodSpec, path: string): readonly FieldError[] {
  return [[spec, path] as const, ...containersWithPaths(spec, path)]
    .filter(([{ securityContext }]) => securityContext?.windowsOptions !== undefined)
    .map(([, at]) => forbidden(`${at}.securityContext.windowsOptions`, "windows options cannot be set for a linux pod"));
}

/** The Linux-only fields, in upstream's order. */
const linuxOnly = Object.freeze({
  pod: [
    "securityContext.appArmorProfile",
    "securityContext.seLinuxOptions",
    "hostUsers",
    "hostPID",
    "hostIPC",
    "securityContext.seccompProfile",
    "securityContext.fsGroup",
    "securityContext.fsGroupChangePolicy",
    "securityContext.sysctls",
    "shareProcessNamespace",
    "securityContext.runAsUser",
    "securityContext.runAsGroup",
    "securityContext.supplementalGroups",
    "securityContext.supplementalGroupsPolicy",
    "securityContext.seLinuxChangePolicy",
  ],
  container: [
    "appArmorProfile",
    "seLinuxOptions",
    "seccompProfile",
    "capabilities",
    "readOnlyRootFilesystem",
    "privileged",
    "allowPrivilegeEscalation",
    "procMount",
    "runAsUser",
    "runAsGroup",
  ].map((key) => `securityContext.${key}`),
});
/** Fields for which false counts as absent. */
const flags = ["hostPID", "hostIPC"];

function validateForWindows(spec: PodSpec, path: string): readonly FieldError[] {
  return [
    ...forbidKeys(spec, linuxOnly.pod, path),
    ...containersWithPaths(spec, path).flatMap(([container, at]) => forbidKeys(container, linuxOnly.container, at)),
  ];
}
function forbidKeys(of: object, keys: readonly string[], path: string): readonly FieldError[] {
  return keys.filter((key) => {
    const value = valueAt(of, key);
    return value !== undefined && !(flags.includes(key) && value === false) && !(Array.isArray(value) && value.length === 0);
  }).map((key) => forbidden(`${path}.${key}`, "cannot be set for a windows pod"));
}
function valueAt(of: object, path: string): unknown {
  // `as`: the path has only keys of the schema; an absent one gives undefined.
  return path.split(".").reduce<unknown>((at, key) => (at as Readonly<Record<string, unknown>> | undefined)?.[key], of);
}
