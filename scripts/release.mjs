// Prepares and checks a release.
//
//   npm run release -- 0.2.0          writes the version to every file that has it, and dates the changelog
//   npm run release                   runs every check, builds what is published, and prints the commands that publish it
//   npm run release -- --only a,b     runs only these checks
//
// It neither commits nor publishes. Exits with 1 after the first check that fails.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { root } from "./runtimes.mjs";
import { changelogFor, compareVersions, newestRelease, places, versionPattern } from "./release-version.mjs";

const read = (path) => readFileSync(join(root, path), "utf8");
const present = (command, ...args) => spawnSync(command, args, { stdio: "ignore" }).status === 0;

class Failure extends Error {}

function run(command, ...args) {
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: "inherit" });
  if (status !== 0) throw new Failure(`${[command, ...args].join(" ")} exits with ${status ?? error?.message}`);
}

function output(command, ...args) {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: root, encoding: "utf8" });
  if (status !== 0) throw new Failure(`${[command, ...args].join(" ")}: ${stderr.trim()}`);
  return stdout.trim();
}

/** The engine that builds images here, or undefined. The client alone is not enough. */
const imageEngine = () => ["podman", "docker"].find((engine) => present(engine, "info"));

/** Each check returns nothing, or the reason why it does not apply here. */
const checks = {
  tree() {
    const changes = output("git", "status", "--porcelain");
    if (changes !== "") throw new Failure(`the working tree has changes:\n${changes}`);
  },
  versions(version) {
    const others = places.map(({ path, read: versions }) => [path, versions(read(path))])
      .filter(([, found]) => found.length === 0 || found.some((each) => each !== version));
    if (others.length > 0) {
      throw new Failure(
        `the version is ${version}, but ${others.map(([path, found]) => `${found.join(" and ") || "none"} in ${path}`).join(", ")}`,
      );
    }
  },
  changelog(version) {
    const newest = newestRelease(read("CHANGELOG.md"));
    if (newest !== version) throw new Failure(`CHANGELOG.md: the newest release is ${newest ?? "none"}: run npm run release -- ${version}`);
  },
  tag(version) {
    if (output("git", "tag", "--list", `v${version}`) !== "") throw new Failure(`the tag v${version} exists`);
  },
  suite: () => run("npm", "run", "ok"),
  package: () => run("npm", "run", "pack"),
  jsr: () => run("npm", "run", "jsr:check"),
  chart() {
    if (!present("helm", "version")) return "no helm on PATH";
    // A folder of its own: the tarball of the package has the same name.
    mkdirSync(join(root, "build/chart"), { recursive: true });
    run("helm", "lint", "charts/thole");
    run("helm", "package", "charts/thole", "--destination", "build/chart");
  },
  image(version) {
    const engine = imageEngine();
    if (engine === undefined) return "no podman or docker engine runs; the suite builds the image step by step without one";
    run(engine, "build", "--file", "Containerfile", "--tag", `thole:${version}`, ".");
  },
};

/** Writes the new version; the changelog's "Unreleased" becomes its heading. */
function prepare(version) {
  if (!versionPattern.test(version)) throw new Failure(`${JSON.stringify(version)} is not a version such as 0.2.0`);
  const current = JSON.parse(read("package.json")).version;
  if (compareVersions(version, current) < 0) throw new Failure(`${version} is lower than the current version ${current}`);
  checks.tree();
  const today = new Date().toISOString().slice(0, 10);
  const changelog = changelogFor(read("CHANGELOG.md"), version, today);
  if (changelog === undefined) throw new Failure('CHANGELOG.md has nothing below "Unreleased"');
  for (const { path, write } of places) writeFileSync(join(root, path), write(read(path), version));
  writeFileSync(join(root, "CHANGELOG.md"), changelog);
  console.log(`The version is ${version}. Next: npm run docs, then git commit --all --message "release: ${version}", then npm run release`);
}

function check(only) {
  const unknown = only.filter((name) => !Object.hasOwn(checks, name));
  if (unknown.length > 0) throw new Failure(`no check ${unknown.join(", ")}: the checks are ${Object.keys(checks).join(", ")}`);
  const version = JSON.parse(read("package.json")).version;
  const skipped = [];
  for (const [name, prove] of Object.entries(checks)) {
    if (only.length > 0 && !only.includes(name)) continue;
    const reason = prove(version);
    if (reason !== undefined) skipped.push(name);
    console.log(reason === undefined ? `${name}: ok` : `${name}: skipped: ${reason}`);
  }
  if (only.length === 0) console.log(`\n${publishing(version, skipped)}`);
}

/** The commands that publish what the checks built. REGISTRY is the operator's. */
function publishing(version, skipped) {
  const image = imageEngine() ?? "podman";
  return [
    `Version ${version} passes${skipped.length === 0 ? " every check" : `; skipped: ${skipped.join(", ")}`}. Publish it with:`,
    "",
    `  git tag --annotate v${version} --message "Thole ${version}"`,
    `  git push origin main v${version}`,
    `  npm publish build/thole-${version}.tgz`,
    ...(existsSync(join(root, "create-thole-plugin")) ? ["  npm publish ./create-thole-plugin"] : []),
    "  npx deno publish",
    `  ${image} tag thole:${version} REGISTRY/thole:${version} && ${image} push REGISTRY/thole:${version}`,
    `  helm push build/chart/thole-${version}.tgz oci://REGISTRY/charts`,
  ].join("\n");
}

const [first, list = "", ...rest] = process.argv.slice(2);
try {
  if (rest.length > 0 || (list !== "") !== (first === "--only")) {
    throw new Failure("usage: npm run release [-- VERSION | --only CHECK,...]");
  }
  if (first === undefined || first === "--only") check(list === "" ? [] : list.split(","));
  else prepare(first);
} catch (error) {
  if (!(error instanceof Failure)) throw error;
  console.error(`release: ${error.message}`);
  process.exitCode = 1;
}
