import { definePlugin } from "../../plugin.ts";
import { configMaps } from "./config-map.ts";
import { secrets } from "./secret.ts";

export { configMaps, secrets };

export const configmapsPlugin = definePlugin({
  name: "configmaps",
  summary: "Configuration of programs: ConfigMap and Secret.",
  resources: [configMaps, secrets],
});
