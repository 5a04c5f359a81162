/** Compares minor releases, and computes the distance between them. */

/** A minor release, such as `"1.18"`. */
export type Release = string;

/** The release whose API this program has. `--emulated-version` selects an older one. */
export const serverRelease: Release = "1.35";

/** Whether a text is a minor release such as "1.18". */
export function isRelease(text: string): boolean {
  return /^[0-9]{1,4}\.[0-9]{1,4}$/.test(text);
}

/** Compares two releases by their numbers, for `sort`: the result is negative if `a` is the older one ("1.9" is older than "1.10"). */
export function compareReleases(a: Release, b: Release): number {
  return a === b ? 0 : majorOf(a) - majorOf(b) || minorOf(a) - minorOf(b);
}

/** Returns the number of minor releases from `a` to `b`. It is infinite, or minus infinity, between major releases. */
export function releasesBetween(a: Release, b: Release): number {
  return majorOf(a) === majorOf(b) ? minorOf(b) - minorOf(a) : Infinity * (majorOf(b) - majorOf(a));
}

/** Returns the release that is `count` minor releases later, or earlier if `count` is negative. */
export function releaseAfter(release: Release, count: number): Release {
  return `${majorOf(release)}.${minorOf(release) + count}`;
}

export function majorOf(release: Release): number {
  const point = release.indexOf(".");
  return Number(point < 0 ? release : release.slice(0, point));
}

export function minorOf(release: Release): number {
  const point = release.indexOf("."), next = release.indexOf(".", point + 1);
  return point < 0 ? 0 : Number(release.slice(point + 1, next < 0 ? release.length : next));
}

/** The releases that a server follows. */
export interface Releases {
  /** The release whose kinds, gates, warnings and metrics the server has (`--emulated-version`). */
  readonly emulated: Release;
  /** The oldest release whose servers can read what is stored, and new expressions in CEL (`--min-compatibility-version`). */
  readonly minCompatibility: Release;
}

/** Maximum number of earlier releases that can be emulated. */
export const emulatedReleasesMax = 3;
/** The oldest release that can be emulated. */
export const oldestRelease: Release = releaseAfter(serverRelease, -emulatedReleasesMax);

/** Returns the releases of a server that emulates `emulated`, and that can be rolled back to the release before it. */
export function releasesFor(emulated: Release, minCompatibility?: Release): Releases {
  const before = releaseAfter(emulated, -1);
  const least = compareReleases(before, oldestRelease) < 0 ? oldestRelease : before;
  return Object.freeze({ emulated, minCompatibility: minCompatibility ?? least });
}

/** The releases that a server without `--emulated-version` follows. */
export const serverReleases: Releases = releasesFor(serverRelease);
