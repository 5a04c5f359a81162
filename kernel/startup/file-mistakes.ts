/** What is wrong with the files that settings name, found before a server starts: all of it, not only the first. */
import { reasonOf } from "../../core/reason-of.ts";
import type { Config } from "../config/settings.ts";
import { checkAuthentication } from "./authenticators.ts";
import { checkGivenCertificates, rootCertificatesOf } from "./credentials.ts";
import { checkAudit } from "./open-audit.ts";
import { readTls } from "./open-store.ts";
import { checkGivenTokenKeys } from "./token-keys.ts";

/** In the words with which the start would fail. */
export async function fileMistakes(config: Config): Promise<readonly string[]> {
  const outcomes = await Promise.allSettled([
    ...checkGivenCertificates(config),
    ...checkGivenTokenKeys(config),
    ...checkAuthentication(config),
    rootCertificatesOf(config),
    checkAudit(config),
    config["etcd-servers"].length === 0 ? undefined : readTls(config),
  ]);
  return outcomes.flatMap((outcome) => outcome.status === "rejected" ? [reasonOf(outcome.reason)] : []);
}
