/** The projects of `examples/`, each with the package as npm installs it. */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { cp, mkdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { kubeApiserverMissing } from "../access/kube-apiserver.ts";
import { kubectlMissing } from "../clients/kubectl.ts";
import { run, runtimePath } from "../real-server.ts";
import { type Installed, root, withNode } from "./tarball.ts";

interface Example {
  readonly name: string;
  /** Packages of the repository that it uses beside thole. */
  readonly packages?: readonly string[];
  /** Files that type-check under the options of the page that explains the example. */
  readonly checked?: { readonly page: string; readonly files: readonly string[] };
  /** The reason to skip its test, or undefined. */
  readonly missing: (name: string) => Promise<string | undefined>;
  /** Brings what is missing; only `npm run examples` does. */
  readonly setUp?: (folder: string) => Promise<Readonly<Record<string, string>>>;
}

/** Whether examples may download what they need, and take long. */
const all = process.env["THOLE_EXAMPLES"] === "all";
const minute = 60_000;

async function succeeds(command: string, ...args: readonly string[]): Promise<boolean> {
  return await run(command, args, { cwd: root }).then(({ code }) => code === 0, () => false);
}

/** The suite does not download modules, and does not compile client-go, which takes a minute: it runs what `npm run examples` has compiled. */
async function goMissing(name: string): Promise<string | undefined> {
  if (!await succeeds("go", "version")) return "no go on PATH";
  if (all) return undefined;
  const stale = ["list", "-deps", "-test", "-f", "{{if and .DepOnly .Stale}}{{.ImportPath}}{{end}}", "./..."];
  const { code, output } = await run("go", stale, { cwd: join(root, "examples", name), env: { GOPROXY: "off" } });
  return code === 0 && output.trim() === "" ? undefined : "its Go modules are not compiled on this machine: npm run examples does that";
}
const kubectlAbsent = () => Promise.resolve(kubectlMissing() || undefined);
const kubeApiserverAbsent = () => Promise.resolve(kubeApiserverMissing() || kubectlMissing() || undefined);
/** The suite pulls no charts: it runs what `CHART` names. */
async function helmMissing(): Promise<string | undefined> {
  if (!await succeeds("helm", "version")) return "no helm on PATH";
  return all || process.env["CHART"] !== undefined ? await kubectlAbsent() : "CHART names no chart: npm run examples pulls it";
}
async function pythonMissing(): Promise<string | undefined> {
  if (all) return await succeeds("python3", "-m", "venv", "--help") ? undefined : "no python3 with venv on PATH";
  return await succeeds("python3", "-c", "import kubernetes, pytest") ? undefined : "no python3 with the packages kubernetes and pytest";
}

/** The suite downloads no artifacts: it runs what `npm run examples` has brought to Maven's local repository. */
async function javaMissing(name: string): Promise<string | undefined> {
  if (!await succeeds("mvn", "-version")) return "no mvn on PATH";
  const project = await readFile(join(root, "examples", name, "pom.xml"), "utf8");
  const artifacts = project.matchAll(/<groupId>(.*)<\/groupId>\s*<artifactId>(.*)<\/artifactId>\s*<version>(\d.*\..*)<\/version>/g);
  const absent = Array.from(artifacts, ([, group = "", ...rest]) => [...group.split("."), ...rest].join("/"))
    .find((path) => !existsSync(join(homedir(), ".m2/repository", path)));
  return all || absent === undefined ? undefined : `${absent} is not in Maven's local repository: npm run examples brings it`;
}

/** An environment of Python with what an example requires. */
async function pythonEnvironment(folder: string): Promise<Readonly<Record<string, string>>> {
  const environment = join(folder, "environment");
  assert.ok(await succeeds("python3", "-m", "venv", environment));
  assert.ok(await succeeds(join(environment, "bin/pip"), "install", "--quiet", "--requirement", join(folder, "requirements.txt")));
  return { PATH: `${join(environment, "bin")}:${process.env["PATH"]}` };
}

const examples: readonly Example[] = [
  { name: "behind-a-kube-apiserver", missing: kubeApiserverAbsent },
  { name: "controller-test-typescript", packages: ["@kubernetes/client-node"], missing: () => Promise.resolve(undefined) },
  { name: "custom-resources", missing: kubectlAbsent },
  {
    name: "databases",
    checked: { page: "docs/writing-a-plugin.md", files: ["databases.ts", "databases.test.ts"] },
    missing: () => Promise.resolve(undefined),
  },
  { name: "platform", missing: kubectlAbsent },
  { name: "simulated-cluster", missing: () => Promise.resolve(undefined) },
  { name: "simulated-cluster-go", missing: goMissing },
  { name: "simulated-cluster-helm", missing: helmMissing },
  { name: "simulated-cluster-python", missing: pythonMissing, setUp: pythonEnvironment },
  {
    name: "thole-behind-a-thole",
    missing: async () => await kubectlAbsent() ?? (await succeeds("openssl", "version") ? undefined : "no openssl on PATH"),
  },
  { name: "test-control-go", missing: goMissing },
  { name: "test-control-java", missing: javaMissing },
  { name: "test-control-python", missing: pythonMissing, setUp: pythonEnvironment },
  { name: "test-server-go", missing: goMissing },
  { name: "controller-test-go", missing: goMissing },
  { name: "test-server-python", missing: pythonMissing, setUp: pythonEnvironment },
];

async function typeCheck(folder: string, { page, files }: NonNullable<Example["checked"]>): Promise<void> {
  const { compilerOptions } = JSON.parse(/```json\n([\s\S]*?)```/.exec(await readFile(join(root, page), "utf8"))![1]!);
  const types = { typeRoots: [join(root, "node_modules/@types")] };
  await writeFile(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions: { ...compilerOptions, ...types }, files }));
  const { code, output } = await run(runtimePath("node"), [join(root, "node_modules/typescript/bin/tsc"), "-p", folder]);
  assert.equal(code, 0, output);
}

/** One test for each example: its own `npm test`, with Node 24. */
export function testExamples(installed: () => Installed): void {
  for (const { name, packages = [], checked, missing, setUp } of examples) {
    test(`the example ${name} passes its test`, { timeout: 10 * minute }, async (context) => {
      const reason = await missing(name);
      if (reason !== undefined) return context.skip(reason);
      const node = runtimePath("node"), folder = join(installed().project, "examples", name);
      await cp(join(root, "examples", name), folder, { recursive: true });
      // Shared by the tests of several examples.
      await cp(join(root, "examples/start-thole.mjs"), join(folder, "../start-thole.mjs"));
      try {
        await mkdir(join(folder, "node_modules"));
        await symlink(join(installed().project, "node_modules/thole"), join(folder, "node_modules/thole"));
        for (const each of packages) {
          await mkdir(join(folder, "node_modules", each, ".."), { recursive: true });
          await symlink(join(root, "node_modules", each), join(folder, "node_modules", each));
        }
        const own = all ? await setUp?.(folder) : undefined;
        const env = { ...withNode(node), THOLE: `${node} ${join(folder, "node_modules/thole/bin/thole.js")}`, THOLE_NODE: node };
        const path = [withNode(node)["PATH"], own?.["PATH"]].filter((each) => each !== undefined);
        const { code, output, errors } = await run("npm", ["test"], {
          cwd: folder,
          env: { ...env, ...(own === undefined ? {} : { PATH: path.toReversed().join(":") }) },
          timeoutMs: 9 * minute,
        });
        assert.equal(code, 0, `${output}\n${errors}`);
        if (checked !== undefined) await typeCheck(folder, checked);
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    });
  }
}
