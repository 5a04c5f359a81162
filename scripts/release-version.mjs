// Where the version stands, and what a release makes of the changelog.

/** A text whose version follows one of these beginnings of lines, up to a quote or the end of the line. */
function lines(path, ...beginnings) {
  const pattern = new RegExp(`^(${beginnings.join("|")})([^"\\n]+)`, "gm");
  return {
    path,
    read: (text) => [...text.matchAll(pattern)].map(([, , version]) => version),
    write: (text, version) => text.replaceAll(pattern, (_, before) => `${before}${version}`),
  };
}

/** The package itself, its entry among the packages, and that of the generator of plugins. */
const lockFile = {
  path: "package-lock.json",
  read(text) {
    const { version, packages } = JSON.parse(text);
    return [version, packages[""].version, packages["create-thole-plugin"].version];
  },
  write(text, version) {
    const lock = JSON.parse(text);
    lock.version = lock.packages[""].version = lock.packages["create-thole-plugin"].version = version;
    return `${JSON.stringify(lock, undefined, 2)}\n`;
  },
};

/** The files that have the version. */
export const places = [
  lines("package.json", '  "version": "'),
  lockFile,
  lines("create-thole-plugin/package.json", '  "version": "'),
  lines("create-thole-plugin/files.mjs", 'export const versions = { thole: "'),
  lines("deno.json", '  "version": "'),
  lines("server/startup/version.ts", 'export const ownVersion = "'),
  lines("charts/thole/Chart.yaml", "version: ", "appVersion: ", "      image: thole:"),
];

export const versionPattern = /^\d{1,5}\.\d{1,5}\.\d{1,5}$/;

/** Negative, zero or positive, as for sort(). */
export function compareVersions(one, other) {
  const [left, right] = [one, other].map((version) => version.split(".").map(Number));
  const at = left.findIndex((part, index) => part !== right[index]);
  return at < 0 ? 0 : left[at] - right[at];
}

/** The version of the first dated heading, or undefined. */
export const newestRelease = (changelog) => /^## (\d\S*) \(\d{4}-\d{2}-\d{2}\)$/m.exec(changelog)?.[1];

/** The changelog with its "Unreleased" part as this version, and an empty part above; undefined if there is nothing to release. */
export function changelogFor(changelog, version, date) {
  const heading = "## Unreleased\n", at = changelog.indexOf(heading);
  if (at < 0) return undefined;
  const below = changelog.slice(at + heading.length), next = below.search(/^## /m);
  if ((next < 0 ? below : below.slice(0, next)).trim() === "") return undefined;
  return `${changelog.slice(0, at)}${heading}\n## ${version} (${date})\n${below}`;
}
