/** The settings of the server that the family reads. */
import type { SettingKey } from "../../toolbox.ts";

export const clusterRangeSetting: SettingKey<"string"> = Object.freeze({ name: "service-cluster-ip-range", kind: "string" });
export const nodePortRangeSetting: SettingKey<"string"> = Object.freeze({ name: "service-node-port-range", kind: "string" });
export const reconcilerSetting: SettingKey<"string"> = Object.freeze({ name: "endpoint-reconciler-type", kind: "string" });
export const advertiseSetting: SettingKey<"string"> = Object.freeze({ name: "advertise-address", kind: "string" });
export const bindSetting: SettingKey<"string"> = Object.freeze({ name: "bind-address", kind: "string" });
export const portSetting: SettingKey<"int"> = Object.freeze({ name: "secure-port", kind: "int" });
export const etcdSetting: SettingKey<"list"> = Object.freeze({ name: "etcd-servers", kind: "list" });
