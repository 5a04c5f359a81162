/** All mistakes in the files that settings name, found before a server starts. */
import type { Plugin } from "../../core/plugin.ts";
import { reasonOf } from "../../core/reason-of.ts";
import type { Config } from "../config/settings.ts";
import { checkAuthentication } from "./authenticators.ts";
import { checkAuthorization } from "./authorization-file.ts";
import { checkGivenCertificates, rootCertificatesOf } from "./credentials.ts";
import { checkAudit } from "./open-audit.ts";
import { readTls } from "./open-store.ts";
import { checkTracing } from "./open-tracing.ts";
import { checkGivenTokenKeys } from "./token-keys.ts";

/** In the words with which the start would fail. */
export async function fileMistakes(config: Config, plugins: readonly Plugin[]): Promise<readonly string[]> {
  const outcomes = await Promise.allSettled([
    ...checkGivenCertificates(config),
    ...checkGivenTokenKeys(config),
    ...checkAuthentication(config),
    checkAuthorization(config, plugins),
    rootCertificatesOf(config),
    checkAudit(config),
    checkTracing(config),
    config["etcd-servers"].length === 0 ? undefined : readTls(config),
  ]);
  return outcomes.flatMap((outcome) => outcome.status === "rejected" ? [reasonOf(outcome.reason)] : []);
}
