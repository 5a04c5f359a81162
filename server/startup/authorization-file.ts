/** The file of --authorization-config, which is read at start and followed. */
import { statSync } from "node:fs";
import type { Clock } from "../../core/async.ts";
import type { Plugin } from "../../core/plugin.ts";
import { reasonOf } from "../../core/reason-of.ts";
import { readAuthorizationConfiguration } from "../config/authorization/read.ts";
import { readAccess } from "../../client/kubeconfig.ts";
import type { ConfiguredAuthorizer } from "../config/authorization/configured-authorizer.ts";
import { authorizersOfFlags, authorizerTypes } from "../config/configured-authorizers.ts";
import type { FollowedFiles } from "../../core/part.ts";
import { allOrErrors, FaultyFile } from "../../core/config/mistake.ts";
import { readText } from "../config/read-files.ts";
import type { Config } from "../config/settings.ts";
import type { KernelRegistry } from "../metrics/metrics.ts";
import { authorizationReloadMeter } from "./access-meters.ts";
import type { ConfigInForce } from "./config-in-force.ts";
import { bound } from "../../core/bound.ts";

/** Bytes of the file of --authorization-config. */
const authorizationConfigBytesMax = bound(1024 * 1024);

const what = "authorization configuration";

/** The active authorization configuration. */
export interface AuthorizationFile {
  readonly configured: () => readonly ConfiguredAuthorizer[];
  /** `changed` is called after each change. */
  onChange(changed: () => void): void;
  readonly followed: FollowedFiles;
}

/** Undefined without --authorization-config. Rejects for a file, or a webhook's kubeconfig, that cannot be used. */
export async function openAuthorizationFile(
  { inForce, registry, clock }: { readonly inForce: ConfigInForce; readonly registry: KernelRegistry; readonly clock: Pick<Clock, "now"> },
): Promise<AuthorizationFile | undefined> {
  const { config, plugins } = inForce.current();
  await checkAuthorization(config, plugins);
  const path = config["authorization-config"];
  if (path === "") return undefined;
  const meter = authorizationReloadMeter(registry.record, clock.now);
  let text = await readBounded(path);
  let configured = await usable(config, plugins, text);
  const requiredTypes = configured.map(({ type }) => type).filter((type) => type !== "Webhook");
  meter.inForce(text);
  let changed = () => {}, refused: Error | undefined;
  const renew = async () => {
    const next = await readBounded(path);
    if (next === text) {
      if (refused !== undefined) throw refused;
      return undefined;
    }
    text = next;
    try {
      const { config, plugins } = inForce.current();
      configured = await usable(config, plugins, next, requiredTypes);
      refused = undefined;
      changed();
      meter.reloaded("success");
      meter.inForce(next);
      return { authorizers: configured.map(({ name }) => name) };
    } catch (error) {
      meter.reloaded("failure");
      throw refused = new Error(reasonOf(error));
    }
  };
  return { configured: () => configured, onChange: (call) => void (changed = call), followed: { what, paths: [path], renew } };
}

/** Rejects if a file of the settings cannot be used. */
export async function checkAuthorization(config: Config, plugins: readonly Plugin[]): Promise<void> {
  const path = config["authorization-config"];
  if (path === "") return await checkKubeconfigs(authorizersOfFlags(config));
  const text = await readBounded(path);
  try {
    await usable(config, plugins, text);
  } catch (error) {
    // Those of kubeconfigs have files of their own.
    throw error instanceof FaultyFile || error instanceof AggregateError ? error : new FaultyFile(path, reasonOf(error), error);
  }
}

async function usable(
  config: Config,
  plugins: readonly Plugin[],
  text: string,
  requiredTypes: readonly string[] = [],
): Promise<readonly ConfiguredAuthorizer[]> {
  const configured = readAuthorizationConfiguration(text, {
    groupDomain: config["group-domain"],
    types: authorizerTypes(plugins.flatMap(({ authorizers = [] }) => authorizers.map(({ name }) => name))),
    fileMistake,
    requiredTypes,
  });
  await checkKubeconfigs(configured);
  return configured;
}

async function checkKubeconfigs(configured: readonly ConfiguredAuthorizer[]): Promise<void> {
  const files = configured.flatMap(({ webhook }) => webhook === undefined || webhook.kubeconfig === "" ? [] : [webhook.kubeconfig]);
  await allOrErrors([...new Set(files)].map((path) => readAccess(path)));
}

function fileMistake(path: string): string | undefined {
  try {
    return statSync(path).isFile() ? undefined : "must be a regular file";
  } catch (error) {
    return `error loading file: ${reasonOf(error)}`;
  }
}

async function readBounded(path: string): Promise<string> {
  const text = await readText(path, what);
  if (text.length > authorizationConfigBytesMax) {
    throw new Error(`cannot use the ${what}: it is larger than ${authorizationConfigBytesMax} bytes`);
  }
  return text;
}
