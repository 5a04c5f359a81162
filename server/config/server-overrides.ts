/** --etcd-servers-overrides: resources that have an etcd of their own. */
import type { Resource } from "../../core/plugin.ts";
import { valueText } from "../../core/value-text.ts";
import { withoutUser } from "../../protocols/without-user.ts";
import type { StoreConfig } from "./store-settings.ts";

type EtcdSettings = Pick<StoreConfig, "etcd-servers" | "etcd-servers-overrides">;

interface Override {
  /** `GROUP/RESOURCE`; the core group is empty, and the resource `*` stands for all of a group. */
  readonly resource: string;
  readonly servers: readonly string[];
}

/** The etcds of a server, by number: 0 is that of `--etcd-servers`. */
export interface EtcdPlaces {
  /** The servers of each etcd. Several resources can share one. */
  readonly servers: readonly (readonly string[])[];
  /** The number of the etcd that has the objects of a kind. As upstream, custom resources are never in another one than the first. */
  of(kind: OverridableKind): number;
  /** The resources of the overrides. */
  readonly resources: readonly string[];
}

/** A kind as it is stored. */
export interface OverridableKind {
  readonly group: string;
  readonly plural: string;
  readonly resource: Pick<Resource, "custom">;
}

/** The override of a whole group, or of one resource, which counts more. */
export function etcdPlaces(config: EtcdSettings): EtcdPlaces {
  const servers = [config["etcd-servers"]], numbers = new Map<string, number>();
  for (const override of config["etcd-servers-overrides"].map(overrideOf)) {
    if (override === undefined) continue; // A mistake.
    const known = servers.findIndex((each) => isSameSet(each, override.servers));
    numbers.set(override.resource, known < 0 ? servers.push(override.servers) - 1 : known);
  }
  return {
    servers,
    of: ({ group, plural, resource }) => resource.custom === true ? 0 : numbers.get(`${group}/${plural}`) ?? numbers.get(`${group}/*`) ?? 0,
    resources: [...numbers.keys()],
  };
}

/** The resources of the overrides that are none of these kinds: their overrides have no effect. */
export function unknownOverrides({ resources }: EtcdPlaces, kinds: readonly OverridableKind[]): readonly string[] {
  const known = new Set(
    kinds.filter(({ resource }) => resource.custom !== true).flatMap(({ group, plural }) => [`${group}/${plural}`, `${group}/*`]),
  );
  return resources.filter((each) => !known.has(each));
}

export function unknownOverrideText(resource: string): string {
  return `--etcd-servers-overrides: no plugin stores objects of ${valueText(resource)}, so its servers are not used`;
}

export function overrideMistakes(config: EtcdSettings): readonly string[] {
  const items = config["etcd-servers-overrides"], flag = 'flag "--etcd-servers-overrides"';
  if (items.length === 0) return [];
  const wrong = items.flatMap((item) => {
    const override = overrideOf(item);
    if (override === undefined) {
      // A text of another form may contain a password.
      return [`${flag}: ${valueText(item.split("#", 1)[0]!)} must be formatted as group/resource#server;server`];
    }
    return override.servers.filter((each) => !isEtcdAddress(each)).map((each) =>
      `${flag}: ${valueText(withoutUser(each))} is not an address such as "https://10.0.0.1:2379"`
    );
  });
  const isEmbedded = config["etcd-servers"].length === 0;
  return [...wrong, ...(isEmbedded ? [`${flag} needs "--etcd-servers": the embedded store is one file with all objects`] : [])];
}

/** Whether a text is an address of `--etcd-servers`. */
export function isEtcdAddress(text: string): boolean {
  return /^https?:\/\/[^/]+\/?$/.test(text) && URL.canParse(text);
}

/** All servers of etcd in the settings. */
export function etcdServers(config: EtcdSettings): readonly string[] {
  return [...new Set(etcdPlaces(config).servers.flat())];
}

/** Undefined for a text of another form. */
function overrideOf(item: string): Override | undefined {
  const [resource = "", servers, more] = item.split("#");
  if (servers === undefined || more !== undefined || resource.split("/").length !== 2) return undefined;
  return { resource, servers: servers.split(";") };
}

/** Upstream compares servers without their order. */
function isSameSet(one: readonly string[], other: readonly string[]): boolean {
  return one.toSorted().join(";") === other.toSorted().join(";");
}
