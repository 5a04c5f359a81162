/** The rules of storage versions, with upstream's texts, paths and order. */
import { duplicate, type FieldError, invalid, required } from "../../plugin.ts";
import { dns1035Label, dns1123Subdomain, qualifiedName } from "../../toolbox.ts";
import type { ServerStorageVersion, StorageVersionCondition, StorageVersionStatus } from "./schema.ts";

/** The rule of names: the group, a dot and the plural. The core group has the name `core`. */
export function storageVersionName(name: string): readonly string[] {
  const dot = name.lastIndexOf(".");
  if (dot < 0) return ["name must be in the form of <group>.<resource>"];
  return [
    ...dns1123Subdomain(name.slice(0, dot)).map((wrong) => `the group segment ${wrong}`),
    ...dns1035Label(name.slice(dot + 1)).map((wrong) => `the resource segment ${wrong}`),
  ];
}

const notGroupVersion =
  "an apiVersion is a DNS-1035 label, which must consist of lower case alphanumeric characters or '-', start with an " +
  "alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is " +
  "'[a-z]([-a-z0-9]*[a-z0-9])?') with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyVersion')";

/** Checks a version, or a group and a version. */
function validateGroupVersion(text: string, path: string): readonly FieldError[] {
  const parts = text.split("/"), version = parts.at(-1) ?? "";
  const check = (part: string, value: string, rule: (value: string) => readonly string[]) =>
    (value === "" ? ["must be non-empty"] : rule(value)).map((wrong) => `${part} part: ${wrong}`);
  const problems = parts.length > 2 ? [notGroupVersion] : [
    ...(parts.length === 2 ? check("group", parts[0] ?? "", dns1123Subdomain) : []),
    ...check("version", version, dns1035Label),
  ];
  return problems.length === 0 ? [] : [invalid(path, text, problems.join(","))];
}

function validateServer(server: ServerStorageVersion, path: string): readonly FieldError[] {
  const { apiServerID = "", encodingVersion = "", decodableVersions, servedVersions = [] } = server, decodable = decodableVersions ?? [];
  return [
    ...dns1123Subdomain(apiServerID).map((wrong) => invalid(`${path}.apiServerID`, apiServerID, wrong)),
    ...validateGroupVersion(encodingVersion, `${path}.encodingVersion`),
    ...decodable.flatMap((each, i) => validateGroupVersion(each, `${path}.decodableVersions[${i}]`)),
    ...(decodable.includes(encodingVersion) ? [] : [
      invalid(`${path}.decodableVersions`, decodableVersions ?? null, `decodableVersions must include encodingVersion ${encodingVersion}`),
    ]),
    ...servedVersions.flatMap((each, i) => {
      const at = `${path}.servedVersions[${i}]`, why = `must be included in decodableVersions : [${decodable.join(" ")}]`;
      const known = decodable.includes(each) ? [] : [invalid(at, each, `individual served version : ${each} ${why}`)];
      return [...validateGroupVersion(each, at), ...known];
    }),
  ];
}

/** The version in which all servers store objects; undefined if there is none. */
export function commonVersion(servers: readonly ServerStorageVersion[]): string | undefined {
  const [first, ...rest] = servers.map(({ encodingVersion = "" }) => encodingVersion);
  return rest.every((each) => each === first) ? first : undefined;
}

const noCommonVersion =
  "should be nil if servers do not agree on the same encoding version, or if there is no server reporting the supported versions yet";

function validateCommonVersion({ storageVersions = [], commonEncodingVersion: named }: StorageVersionStatus): readonly FieldError[] {
  const path = "status.commonEncodingVersion", common = commonVersion(storageVersions);
  if (common === named) return [];
  if (common === undefined) return [invalid(path, named, noCommonVersion)];
  return [invalid(path, named ?? null, `the ${named === undefined ? "" : "actual "}common encoding version is ${common}`)];
}

/** Checks the conditions. Their path is upstream's, without the name of the list. */
function validateConditions(conditions: readonly StorageVersionCondition[]): readonly FieldError[] {
  const last = new Map<string, number>();
  return conditions.flatMap(({ type, status, reason, message = "" }, i) => {
    const path = `status[${i}]`, before = last.get(type);
    last.set(type, i);
    const why = `the type of the condition is not unique, it also appears in conditions[${before}]`;
    return [
      ...(before === undefined ? [] : [invalid(`${path}.type`, type, why)]),
      ...qualifiedName(type).map((wrong) => invalid(`${path}.type`, type, wrong)),
      ...qualifiedName(status).map((wrong) => invalid(`${path}.status`, status, wrong)),
      ...(reason === "" ? [required(`${path}.reason`, "")] : []),
      ...(message === "" ? [required(`${path}.message`, "")] : []),
    ];
  });
}

export function validateStatus(status: StorageVersionStatus): readonly FieldError[] {
  const { storageVersions = [], conditions = [] } = status, seen = new Set<string>();
  return [
    ...storageVersions.flatMap((server, i) => {
      const path = `status.storageVersions[${i}]`, { apiServerID = "" } = server, isRepeated = seen.has(apiServerID);
      seen.add(apiServerID);
      return [...(isRepeated ? [duplicate(`${path}.apiServerID`, apiServerID)] : []), ...validateServer(server, path)];
    }),
    ...validateCommonVersion(status),
    ...validateConditions(conditions),
  ];
}
