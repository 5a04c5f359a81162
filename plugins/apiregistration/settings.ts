/** The settings of the server that the family reads. */
import type { SettingKey } from "../../toolbox.ts";

export const certificateSetting: SettingKey<"string"> = Object.freeze({ name: "proxy-client-cert-file", kind: "string" });
export const keySetting: SettingKey<"string"> = Object.freeze({ name: "proxy-client-key-file", kind: "string" });
export const routingSetting: SettingKey<"bool"> = Object.freeze({ name: "enable-aggregator-routing", kind: "bool" });
export const redirectSetting: SettingKey<"bool"> = Object.freeze({ name: "aggregator-reject-forwarding-redirect", kind: "bool" });
/** Addresses of services, by `name.namespace.svc:port`. */
export const addressesSetting: SettingKey<"texts"> = Object.freeze({ name: "webhook-addresses", kind: "texts" });
