/** The tracing of the settings. */
import { hostname } from "node:os";
import { reasonOf } from "../../core/reason-of.ts";
import { FaultyFile } from "../../core/config/mistake.ts";
import { readText } from "../config/read-files.ts";
import type { Config } from "../config/settings.ts";
import { readTracingConfiguration, type TracingConfiguration } from "../config/tracing-settings.ts";
import type { Log } from "../../kernel/observe/log.ts";
import type { Tracing } from "../../kernel/observe/tracing.ts";
import { ownVersion } from "./version.ts";

/** Undefined without --tracing-config-file. Rejects for a file that cannot be used. */
export async function openTracing(config: Config, log: Log): Promise<Tracing | undefined> {
  const configuration = await configurationOf(config);
  if (configuration === undefined) return undefined;
  const { openTelemetry } = await import("./opentelemetry.ts");
  try {
    return await openTelemetry({ ...configuration, version: ownVersion, instance: `${hostname()}_${crypto.randomUUID()}`, log });
  } catch (error) {
    throw new Error(
      `--tracing-config-file needs packages of OpenTelemetry, which are optional (docs/operators-guide.md): ${reasonOf(error)}`,
    );
  }
}

/** Rejects if the file of the settings cannot be used. */
export async function checkTracing(config: Config): Promise<void> {
  await configurationOf(config);
}

async function configurationOf(config: Config): Promise<TracingConfiguration | undefined> {
  const path = config["tracing-config-file"];
  if (path === "") return undefined;
  const text = await readText(path, "tracing configuration");
  try {
    return readTracingConfiguration(text, config["group-domain"]);
  } catch (error) {
    throw new FaultyFile(path, `cannot use the tracing configuration in "${path}": ${reasonOf(error)}`, error);
  }
}
