/** Validation of the sources that pods and persistent volumes share, with upstream's order and texts. */
import { type FieldError, invalid, notSupported, required } from "../../../plugin.ts";
import { append, defaultNames, type Names, spell } from "../../../toolbox.ts";
import { isNumberedIscsiName, isQualifiedIscsiName } from "./iscsi-name.ts";
import { between, requiredKeys, validateLabelText, validateNoBacksteps } from "./rules.ts";
import type {
  AWSElasticBlockStoreVolumeSource,
  AzureDiskVolumeSource,
  FCVolumeSource,
  FlockerVolumeSource,
  GCEPersistentDiskVolumeSource,
  HostPathVolumeSource,
  NFSVolumeSource,
  QuobyteVolumeSource,
} from "./shared-sources.ts";

type Rule<T> = (source: T, path: string) => readonly FieldError[];

const hostPathTypes = ["", "BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket"];

export const hostPath: Rule<HostPathVolumeSource> = ({ path: target, type }, path) => {
  if (target === "") return [required(`${path}.path`, "")];
  return [
    ...validateNoBacksteps(target, `${path}.path`),
    ...(type === undefined || hostPathTypes.includes(type) ? [] : [notSupported(`${path}.type`, type, hostPathTypes)]),
  ];
};

/** Checks a GCE disk. As upstream, error paths have the former name of the source. */
export const gcePersistentDisk: Rule<GCEPersistentDiskVolumeSource> = (source, path) => {
  const old = path.replace(/gcePersistentDisk$/, "persistentDisk");
  return [...requiredKeys(source, old, "pdName"), ...between(source.partition ?? 0, 0, 255, `${old}.partition`, 1)];
};

export const awsElasticBlockStore: Rule<AWSElasticBlockStoreVolumeSource> = (source, path) => [
  ...requiredKeys(source, path, "volumeID"),
  ...between(source.partition ?? 0, 0, 255, `${path}.partition`, 1),
];

export const flocker: Rule<FlockerVolumeSource> = ({ datasetName = "", datasetUUID = "" }, path) => {
  const errors: FieldError[] = [];
  if (datasetName === "" && datasetUUID === "") errors.push(required(path, "one of datasetName and datasetUUID is required"));
  if (datasetName !== "" && datasetUUID !== "") {
    errors.push(invalid(path, "resource", "datasetName and datasetUUID can not be specified simultaneously"));
  }
  if (datasetName.includes("/")) errors.push(invalid(`${path}.datasetName`, datasetName, "must not contain '/'"));
  return errors;
};

export const nfs: Rule<NFSVolumeSource> = (source, path) => [
  ...requiredKeys(source, path, "server", "path"),
  ...(source.path.startsWith("/") ? [] : [invalid(`${path}.path`, source.path, "must be an absolute path")]),
];

const pairs = "must be a host:port pair or multiple pairs separated by commas";
const tenantBytesMax = 64;

export const quobyte: Rule<QuobyteVolumeSource> = ({ registry, tenant = "", volume }, path) => {
  const errors: FieldError[] = [];
  if (registry === "") errors.push(required(`${path}.registry`, pairs));
  else if (tenant.length > tenantBytesMax) {
    errors.push(required(`${path}.tenant`, "must be a UUID and may not exceed a length of 64 characters"));
  } else {
    for (const pair of registry.split(",")) if (!isHostPort(pair)) errors.push(invalid(`${path}.registry`, registry, pairs));
  }
  if (volume === "") errors.push(required(`${path}.volume`, ""));
  return errors;
};
/** Whether the text is a host without colons, or one in brackets, followed by a colon and a port. */
function isHostPort(text: string): boolean {
  return /^([^:[\]]*|\[[^[\]]*\]):[^:[\]]*$/.test(text);
}

export const fc: Rule<FCVolumeSource> = ({ targetWWNs = [], wwids = [], lun }, path) => {
  const errors: FieldError[] = [];
  if (targetWWNs.length === 0 && wwids.length === 0) {
    errors.push(required(`${path}.targetWWNs`, "must specify either targetWWNs or wwids, but not both"));
  }
  if (targetWWNs.length > 0 && wwids.length > 0) {
    errors.push(invalid(`${path}.targetWWNs`, targetWWNs, "targetWWNs and wwids can not be specified simultaneously"));
  }
  if (targetWWNs.length === 0) return errors;
  return [
    ...errors,
    ...(lun === undefined ? [required(`${path}.lun`, "lun is required if targetWWNs is specified")] : between(lun, 0, 255, `${path}.lun`)),
  ];
};

const diskUris = {
  managed: "/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}",
  blob: "https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd",
};
const cachingModes = ["None", "ReadOnly", "ReadWrite"], diskKinds = ["Dedicated", "Managed", "Shared"];

export const azureDisk: Rule<AzureDiskVolumeSource> = (source, path) => {
  const { diskURI, cachingMode, kind } = source;
  const errors = [...requiredKeys(source, path, "diskName", "diskURI")];
  if (cachingMode !== undefined && !cachingModes.includes(cachingMode)) {
    errors.push(notSupported(`${path}.cachingMode`, cachingMode, cachingModes));
  }
  if (kind === undefined) return errors;
  if (!diskKinds.includes(kind)) errors.push(notSupported(`${path}.kind`, kind, diskKinds));
  const [start, form] = kind === "Managed" ? ["/subscriptions/", diskUris.managed] as const : ["https://", diskUris.blob] as const;
  if (!diskURI.startsWith(start)) errors.push({ ...notSupported(`${path}.diskURI`, diskURI, [form]), quoted: "go" });
  return errors;
};

export const vsphereVolume: Rule<object> = (source, path) => requiredKeys(source, path, "volumePath");
export const photonPersistentDisk: Rule<object> = (source, path) => requiredKeys(source, path, "pdID");
export const portworxVolume: Rule<object> = (source, path) => requiredKeys(source, path, "volumeID");

interface Iscsi {
  readonly targetPortal: string;
  readonly iqn: string;
  readonly lun: number;
  readonly chapAuthDiscovery?: boolean;
  readonly chapAuthSession?: boolean;
  readonly initiatorName?: string;
  readonly secretRef?: { readonly name?: string };
}
const portalLengthMax = 64;

/** Checks an iSCSI source. `volume` is the name of the volume. */
export function iscsi(source: Iscsi, path: string, volume: string): readonly FieldError[] {
  const { targetPortal, iqn, lun, chapAuthDiscovery, chapAuthSession, initiatorName, secretRef } = source;
  const errors = [...requiredKeys(source, path, "targetPortal")];
  if (initiatorName !== undefined && `${volume}:${targetPortal}`.length > portalLengthMax) {
    errors.push(invalid(
      `${path}.targetportal`,
      targetPortal,
      "Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified.",
    ));
  }
  if (iqn === "") errors.push(required(`${path}.iqn`, ""));
  else if (!isIscsiName(iqn)) errors.push(invalid(`${path}.iqn`, iqn, "must be valid format"));
  append(errors, between(lun, 0, 255, `${path}.lun`));
  if ((chapAuthDiscovery || chapAuthSession) && secretRef === undefined) errors.push(required(`${path}.secretRef`, ""));
  if (secretRef !== undefined && (secretRef.name ?? "") === "") errors.push(required(`${path}.secretRef.name`, ""));
  if (initiatorName !== undefined && !isIscsiName(initiatorName)) {
    errors.push(invalid(`${path}.initiatorname`, initiatorName, "must be valid format"));
  }
  return errors;
}

function isIscsiName(name: string): boolean {
  return name.startsWith("iqn") ? isQualifiedIscsiName(name) : isNumberedIscsiName(name);
}

interface Flex {
  readonly driver: string;
  readonly options?: Readonly<Record<string, string>>;
}

/** `flexVolumeOf` with the default names. */
export const flexVolume: Rule<Flex> = (source, path) => flexVolumeOf(source, path, defaultNames);

/** Checks a Flexvolume. Its options must not use the platform's domains. */
export function flexVolumeOf(source: Flex, path: string, names: Names): readonly FieldError[] {
  const own = ["{platform}.io", "{domain}"].map((each) => spell(names, each));
  return [
    ...requiredKeys(source, path, "driver"),
    ...Object.keys(source.options ?? {}).flatMap((key) => {
      const space = `.${key.split("/", 1)[0]!.toLowerCase()}`;
      if (!own.some((each) => space.endsWith(`.${each}`))) return [];
      return [invalid(`${path}.options[${key}]`, key, `${own.join(" and ")} namespaces are reserved`)];
    }),
  ];
}

/** Checks name and namespace of a StorageOS volume. */
export const storageosNames: Rule<{ readonly volumeName?: string; readonly volumeNamespace?: string }> = (source, path) => {
  const { volumeName = "", volumeNamespace = "" } = source;
  return [
    ...(volumeName === "" ? [required(`${path}.volumeName`, "")] : validateLabelText(volumeName, `${path}.volumeName`)),
    ...(volumeNamespace === "" ? [] : validateLabelText(volumeNamespace, `${path}.volumeNamespace`)),
  ];
};
