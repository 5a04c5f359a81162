/** The source of the kubelet's configuration, a removed feature: objects of old releases may still have it. */
import { field, type FieldError, forbidden, type Infer, invalid, required, string, structsOf } from "../../plugin.ts";
import { configMapKey, dns1123Label, dns1123Subdomain, named } from "../../toolbox.ts";

const struct = structsOf("core/v1");

const ConfigMapNodeConfigSource = struct("ConfigMapNodeConfigSource", {
  namespace: field(1, string, "The namespace of the ConfigMap.", { required: true }),
  name: field(2, string, "The name of the ConfigMap.", { required: true }),
  uid: field(3, named("types.UID", string), "The UID of the ConfigMap. In a status only."),
  resourceVersion: field(4, string, "The resource version of the ConfigMap. In a status only."),
  kubeletConfigKey: field(5, string, "The key of the kubelet's configuration.", { required: true }),
}, { doc: "Deprecated. A ConfigMap with the kubelet's configuration." });

export const NodeConfigSource = struct("NodeConfigSource", {
  configMap: field(2, ConfigMapNodeConfigSource, "The ConfigMap with the configuration.", { pointer: true }),
}, { doc: "Deprecated. The source of the kubelet's configuration." });
export type NodeConfigSource = Infer<typeof NodeConfigSource>;

export const NodeConfigStatus = struct("NodeConfigStatus", {
  assigned: field(1, NodeConfigSource, "The source that the node shall use.", { pointer: true }),
  active: field(2, NodeConfigSource, "The source that the node uses.", { pointer: true }),
  lastKnownGood: field(3, NodeConfigSource, "The source that the node uses after a failure.", { pointer: true }),
  error: field(4, string, "The problem with the assigned source."),
}, { doc: "Deprecated. The state of the kubelet's configuration." });
type NodeConfigStatus = Infer<typeof NodeConfigStatus>;

function validateText(text: string, rule: (text: string) => readonly string[], path: string): readonly FieldError[] {
  return text === "" ? [required(path, "")] : rule(text).map((wrong) => invalid(path, text, wrong));
}

/** Checks a source. One in a spec has neither UID nor resource version, one in a status has both. */
export function validateConfigSource(source: NodeConfigSource, path: string, part: "spec" | "status"): readonly FieldError[] {
  const { configMap } = source;
  if (configMap === undefined) {
    return [invalid(path, { ConfigMap: null }, "exactly one reference subfield must be non-nil")];
  }
  const at = `${path}.configMap`;
  return [
    ...(["uid", "resourceVersion"] as const).flatMap((key) => {
      const isSet = (configMap[key] ?? "") !== "";
      if (part === "spec") return isSet ? [forbidden(`${at}.${key}`, `${key} must not be set in spec`)] : [];
      return isSet ? [] : [required(`${at}.${key}`, "")];
    }),
    ...validateText(configMap.namespace, dns1123Label, `${at}.namespace`),
    ...validateText(configMap.name, dns1123Subdomain, `${at}.name`),
    ...validateText(configMap.kubeletConfigKey, configMapKey, `${at}.kubeletConfigKey`),
  ];
}

export function validateConfigStatus(status: NodeConfigStatus, path: string): readonly FieldError[] {
  return (["assigned", "active", "lastKnownGood"] as const).flatMap((key) => {
    const source = status[key];
    return source === undefined ? [] : validateConfigSource(source, `${path}.${key}`, "status");
  });
}
