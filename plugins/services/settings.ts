/** The settings of the server that the family reads. */
import type { SettingKey } from "../../toolbox.ts";

export const clusterRangeSetting: SettingKey<"string"> = Object.freeze({ name: "service-cluster-ip-range", kind: "string" });
export const nodePortRangeSetting: SettingKey<"string"> = Object.freeze({ name: "service-node-port-range", kind: "string" });
export const portSetting: SettingKey<"int"> = Object.freeze({ name: "secure-port", kind: "int" });
