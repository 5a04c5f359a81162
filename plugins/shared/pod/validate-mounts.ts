/** Validation of volume mounts and devices, with upstream's order and texts. */
import { type FieldError, forbidden, invalid, required } from "../../../plugin.ts";
import { notFound } from "../../../toolbox.ts";
import { validateLocalPath, validateNoBacksteps } from "../volumes/rules.ts";
import type { VolumeDevice, VolumeMount } from "./container.ts";
import { validateEnum } from "./rules.ts";
import type { UsableVolumes } from "./validate-volumes.ts";

interface Mounting {
  readonly volumeMounts?: readonly VolumeMount[];
  readonly volumeDevices?: readonly VolumeDevice[];
  readonly securityContext?: { readonly privileged?: boolean };
}

export function validateMounts(container: Mounting, volumes: UsableVolumes, path: string): readonly FieldError[] {
  const { volumeMounts = [], volumeDevices = [] } = container;
  const taken = new Set<string>();
  return volumeMounts.flatMap((mount, i) => {
    const at = `${path}[${i}]`, { name, mountPath } = mount;
    const errors: FieldError[] = [];
    if (name === "") errors.push(required(`${at}.name`, ""));
    if (!volumes.has(name)) errors.push(notFound(`${at}.name`, name));
    if (mountPath === "") errors.push(required(`${at}.mountPath`, ""));
    if (taken.has(mountPath)) errors.push(invalid(`${at}.mountPath`, mountPath, "must be unique"));
    taken.add(mountPath);
    if (volumeDevices.some((device) => device.name === name)) {
      errors.push(invalid(`${at}.name`, name, "must not already exist in volumeDevices"));
    }
    if (volumeDevices.some((device) => device.devicePath === mountPath)) {
      errors.push(invalid(`${at}.mountPath`, mountPath, "must not already exist as a path in volumeDevices"));
    }
    return [...errors, ...validateSubPaths(mount, path, at), ...validateModes(mount, container, path)];
  });
}

/** Checks the subpaths. As upstream, errors have the path of the list, except the one about both fields. */
function validateSubPaths({ subPath = "", subPathExpr = "" }: VolumeMount, path: string, at: string): readonly FieldError[] {
  return [
    ...(subPath === "" ? [] : validateLocalPath(subPath, `${path}.subPath`)),
    ...(subPath === "" || subPathExpr === ""
      ? []
      : [invalid(`${at}.subPathExpr`, subPathExpr, "subPathExpr and subPath are mutually exclusive")]),
    ...(subPathExpr === "" ? [] : validateLocalPath(subPathExpr, `${path}.subPathExpr`)),
  ];
}

const propagations = ["Bidirectional", "HostToContainer", "None"], recursions = ["Disabled", "Enabled", "IfPossible"];

function validateModes(mount: VolumeMount, { securityContext }: Mounting, path: string): readonly FieldError[] {
  const { mountPropagation, recursiveReadOnly, readOnly = false } = mount;
  const errors = [...validateEnum(mountPropagation, propagations, `${path}.mountPropagation`)];
  if (mountPropagation === "Bidirectional" && securityContext?.privileged !== true) {
    errors.push(forbidden(`${path}.mountPropagation`, "Bidirectional mount propagation is available only to privileged containers"));
  }
  const at = `${path}.recursiveReadOnly`;
  if (recursiveReadOnly === undefined || recursiveReadOnly === "Disabled") return errors;
  if (!recursions.includes(recursiveReadOnly)) return [...errors, ...validateEnum(recursiveReadOnly, recursions, at)];
  if (!readOnly) errors.push(forbidden(at, "may only be specified when readOnly is true"));
  if (mountPropagation !== undefined && mountPropagation !== "None") {
    errors.push(forbidden(at, "may only be specified when mountPropagation is None or not specified"));
  }
  return errors;
}

export function validateDevices(container: Mounting, volumes: UsableVolumes, path: string): readonly FieldError[] {
  const { volumeMounts = [], volumeDevices = [] } = container;
  const names = new Set<string>(), paths = new Set<string>();
  return volumeDevices.flatMap(({ name, devicePath }, i) => {
    const at = `${path}[${i}]`, volume = volumes.get(name);
    const errors: FieldError[] = [];
    const wrong = (key: "name" | "devicePath", detail: string) =>
      errors.push(invalid(`${at}.${key}`, key === "name" ? name : devicePath, detail));
    if (name === "") errors.push(required(`${at}.name`, ""));
    if (names.has(name)) wrong("name", "must be unique");
    if (volume === undefined) errors.push(notFound(`${at}.name`, name));
    else if (volume.persistentVolumeClaim === undefined && volume.ephemeral === undefined) {
      wrong("name", "can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode");
    }
    if (devicePath === "") errors.push(required(`${at}.devicePath`, ""));
    if (paths.has(devicePath)) wrong("devicePath", "must be unique");
    if (validateNoBacksteps(devicePath, "").length > 0) wrong("devicePath", "can not contain backsteps ('..')");
    else paths.add(devicePath);
    if (volumeMounts.some((mount) => mount.name === name)) wrong("name", "must not already exist in volumeMounts");
    if (volumeMounts.some((mount) => mount.mountPath === devicePath)) {
      wrong("devicePath", "must not already exist as a path in volumeMounts");
    }
    if (name !== "") names.add(name);
    return errors;
  });
}
