/** The plugin contract of conversions by calls, such as those of a webhook. */
import type { MetricOf } from "../metrics/mod.ts";
import type { JsonObject } from "./json.ts";
import type { Names } from "./names.ts";
import type { GroupVersion } from "./versions.ts";

/** The address of a webhook. */
export interface WebhookAddress {
  /** The URL, with the scheme `https`. */
  readonly url: string;
  /** The expected name in the certificate. Default: the host of the URL. */
  readonly serverName?: string;
  /** The trusted authorities, as PEM. Default: those of the system. */
  readonly ca?: string;
}

/** What a conversion gets from the server. */
export interface ConversionContext {
  /** The names that replace `{domain}` and `{platform}`. */
  readonly names: Names;
  /**
   * Sends a POST with JSON. Resolves with the body of a response of success. Rejects with upstream's text for every other outcome.
   * `attributes` are those of the call in traces.
   */
  readonly post: (webhook: WebhookAddress, json: string, attributes?: Readonly<Record<string, string | number>>) => Promise<string>;
  /** The recorder of a metric that the plugin declares in `metrics`. Throws for any other. */
  readonly metric: MetricOf;
  /** Returns milliseconds of a clock that never goes back. */
  readonly now: () => number;
}

/**
 * Converts stored objects by calls, such as those of a webhook. Each version of the kind is a resource of its own with the same value here;
 * the server converts objects where it reads and writes the store.
 */
export interface StoredConversion {
  /** The key segments of all versions. `storedUnder` of a version has `@` and the version's name after them. */
  readonly under: string;
  /** The version of stored objects. */
  readonly storedAs: GroupVersion;
  /** The webhook that converts. Connections to it are closed when no resource has this value any more. */
  readonly webhook: WebhookAddress;
  /**
   * Converts objects of any versions of the kind to one version, in their order.
   *
   * @param apiVersion the wanted version; objects that have it are returned as they are
   * @throws StatusError if an object cannot be converted
   */
  convert(objects: readonly JsonObject[], apiVersion: string, context: ConversionContext): Promise<readonly JsonObject[]>;
}
