/** All mistakes in the files that settings name, found before a server starts. */
import type { Plugin } from "../../core/plugin.ts";
import { mistakesOf, type PlacedMistake } from "../../core/config/mistake.ts";
import type { CheckedSetting } from "../../core/part.ts";
import type { Config } from "../config/settings.ts";
import { checkAdmissionKubeconfigs } from "./admission-kubeconfigs.ts";
import { checkAuthorization } from "./authorization-file.ts";
import { checkGivenCertificates, rootCertificatesOf } from "./credentials.ts";
import { checkDelegation } from "./delegation.ts";
import { checkAudit } from "./open-audit.ts";
import { readTls } from "./open-store.ts";
import { checkTracing } from "./open-tracing.ts";
import { checkedFiles } from "./part-checks.ts";

/** In the words with which the start would fail. */
export async function fileMistakes(config: Config, plugins: readonly Plugin[]): Promise<readonly PlacedMistake[]> {
  const ofAuthorization = config["authorization-config"] !== "" ? "authorization-config" : "authorization-webhook-config-file";
  const checks: readonly CheckedSetting[] = [
    ...checkGivenCertificates(config),
    ...checkedFiles(config, plugins),
    ...checkDelegation(config),
    [ofAuthorization, checkAuthorization(config, plugins)],
    ["admission-control-config-file", checkAdmissionKubeconfigs(config, plugins)],
    ["root-ca-file", rootCertificatesOf(config)],
    ...checkAudit(config),
    ["tracing-config-file", checkTracing(config)],
    ...(config["encryption-provider-config"] === "" ? [] : [["encryption-provider-config", checkEncryption(config)] as const]),
    ...(config["etcd-servers"].length === 0 ? [] : [
      ["etcd-cafile", readTls({ ...config, "etcd-certfile": "", "etcd-keyfile": "" })] as const,
      ["etcd-certfile", readTls({ ...config, "etcd-cafile": "" })] as const,
    ]),
  ];
  const found = await Promise.all(checks.map(async ([setting, check]) => {
    try {
      await check;
      return [];
    } catch (error) {
      return mistakesOf(error, setting);
    }
  }));
  return found.flat();
}

/** Ciphers are loaded by a server that has them, to save memory. */
async function checkEncryption(config: Config): Promise<void> {
  const { readEncryptionFile } = await import("../encryption/configuration.ts");
  await readEncryptionFile(config["encryption-provider-config"]);
}
