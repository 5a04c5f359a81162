/** When versions end: the table of removed APIs, and what the definitions of plugins deprecate now. */
import { compareReleases, type Release } from "../../../core/releases.ts";
import { pluralOf } from "../../../core/define/plural.ts";
import { type Names, spell } from "../../../core/names.ts";
import type { Plugin } from "../../../core/plugin.ts";
import { RemovedKinds } from "../../../core/removed-apis.ts";
import { compareVersions, type GroupVersion, splitGroupVersion } from "../../../core/versions.ts";

export interface Lifecycle {
  readonly groupVersion: GroupVersion;
  readonly kind: string;
  readonly resource: string;
  /** The release that removes it; undefined if none is known. */
  readonly removed?: Release | undefined;
  /** The version to use, or what else. */
  readonly replacement: string;
  /** Whether the replacement is a version of the kind. */
  readonly isVersion: boolean;
  /** Whether `thole convert` changes files to it. */
  readonly isConverted: boolean;
}

export class Lifecycles {
  readonly #byKind = new Map<string, Lifecycle>();
  readonly #byResource = new Map<string, Lifecycle>();

  constructor(names: Names, plugins: readonly Plugin[]) {
    for (const { resources = [] } of plugins) {
      for (const { kind, plural, served } of resources) {
        for (const [written, { deprecated, removed, replacement }] of Object.entries(served)) {
          if (deprecated === undefined && removed === undefined) continue;
          const next = replacement?.groupVersion ?? newestOf(Object.keys(served), written);
          const isVersion = next !== written && (replacement?.kind ?? kind) === kind;
          // A kind that goes on in its only version, though it is deprecated, does not end.
          if (removed === undefined && !isVersion) continue;
          const groupVersion = spell(names, written), resource = plural ?? pluralOf(kind);
          this.#add({
            groupVersion,
            kind,
            resource,
            removed,
            replacement: spell(names, next),
            isVersion,
            isConverted: false,
          });
        }
      }
    }
    const table = new RemovedKinds(names);
    for (const { groupVersion, kind, removed } of table.all()) {
      const replacement = table.replacementOf(groupVersion, kind), isVersion = table.way(groupVersion, kind)!.at(-1) === replacement;
      this.#add({ groupVersion, kind, resource: pluralOf(kind), removed, replacement, isVersion, isConverted: isVersion });
    }
  }

  #add(lifecycle: Lifecycle): void {
    this.#byKind.set(`${lifecycle.groupVersion} ${lifecycle.kind}`, lifecycle);
    this.#byResource.set(`${lifecycle.groupVersion} ${lifecycle.resource}`, lifecycle);
  }

  /** Undefined for versions that neither the table nor a definition ends. */
  ofKind(groupVersion: GroupVersion, kind: string): Lifecycle | undefined {
    return this.#byKind.get(`${groupVersion} ${kind}`);
  }

  ofResource(groupVersion: GroupVersion, resource: string): Lifecycle | undefined {
    return this.#byResource.get(`${groupVersion} ${resource}`);
  }

  all(): Iterable<Lifecycle> {
    return this.#byKind.values();
  }
}

/** Returns the preferred version of the same group; `written` itself if there is no other. */
function newestOf(served: readonly GroupVersion[], written: GroupVersion): GroupVersion {
  const { group } = splitGroupVersion(written), own = served.filter((each) => splitGroupVersion(each).group === group && each !== written);
  return own.toSorted((a, b) => compareVersions(splitGroupVersion(a).version, splitGroupVersion(b).version))[0] ?? written;
}

/** Whether a release has removed it. */
export const hasEnded = ({ removed }: Lifecycle, release: Release): boolean =>
  removed !== undefined && compareReleases(removed, release) <= 0;
