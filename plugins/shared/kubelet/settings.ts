/** The settings of the server about kubelets. */
import type { SettingKey } from "../../../toolbox.ts";

export const authoritySetting: SettingKey<"string"> = Object.freeze({ name: "kubelet-certificate-authority", kind: "string" });
export const certificateSetting: SettingKey<"string"> = Object.freeze({ name: "kubelet-client-certificate", kind: "string" });
export const keySetting: SettingKey<"string"> = Object.freeze({ name: "kubelet-client-key", kind: "string" });
export const addressTypesSetting: SettingKey<"list"> = Object.freeze({ name: "kubelet-preferred-address-types", kind: "list" });
