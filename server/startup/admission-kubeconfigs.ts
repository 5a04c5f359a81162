/** Kubeconfig files that the configurations of admission steps name. */
import type { Plugin } from "../../core/plugin.ts";
import { chosenAdmission } from "../config/choose-admission.ts";
import { readAdmissionConfiguration } from "../config/admission-configuration.ts";
import type { Config } from "../config/settings.ts";
import { readAccess } from "../../client/kubeconfig.ts";

/** Rejects if an enabled step names a file that cannot be used. Mistakes of the configuration itself are found elsewhere. */
export async function checkAdmissionKubeconfigs(config: Config, plugins: readonly Plugin[]): Promise<void> {
  const path = config["admission-control-config-file"];
  if (path === "") return;
  const steps = plugins.flatMap(({ admission = [] }) => admission);
  const { configurations } = readAdmissionConfiguration({ path, steps, groupDomain: config["group-domain"] }, []);
  const names = { enabled: config["enable-admission-plugins"], disabled: config["disable-admission-plugins"] };
  for (const { name, configuration } of chosenAdmission(plugins, names, []).plugins.flatMap(({ admission = [] }) => admission)) {
    const found = configurations.get(name);
    if (found !== undefined && configuration?.kubeconfig !== undefined) await readAccess(configuration.kubeconfig(found));
  }
}
