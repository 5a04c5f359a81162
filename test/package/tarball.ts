/** The package as `npm run pack` makes it, installed in a project of its own without the network. */
import { cp, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { run, runtimePath } from "../real-server.ts";

export const root = fileURLToPath(new URL("../..", import.meta.url));

/** The installed package. */
export interface Installed {
  /** The folder of the project that depends on the package. */
  readonly project: string;
  /** Size of the tarball. */
  readonly packedBytes: number;
  /** Size of the package and its dependencies on disk. */
  readonly installedBytes: number;
  /** The paths of the files in the package. */
  readonly files: readonly string[];
  remove(): Promise<void>;
}

/** Environment variables with which `node` is the given program, for scripts that start it by its name. */
export function withNode(node: string): Record<string, string> {
  return { PATH: [dirname(node), process.env.PATH ?? ""].join(delimiter) };
}

/** Packs the repository and installs the tarball. Rejects with the output of the command that fails. */
export async function install(): Promise<Installed> {
  const folder = await mkdtemp(join(tmpdir(), "thole-tarball-"));
  try {
    const node = runtimePath("node");
    await succeed(node, [join(root, "scripts/pack.mjs"), folder], folder, node);
    const tarball = join(folder, (await readdir(folder)).find((name) => name.endsWith(".tgz"))!);
    const project = join(folder, "project");
    await mkdir(project);
    // Copies of the dependencies replace the registry: they have the versions of the lock file.
    const dependencies = await productionPackages(join(folder, "package/package.json"));
    for (const name of dependencies) {
      await cp(join(root, "node_modules", name), join(folder, "registry", name), { recursive: true, dereference: true });
    }
    await writeFile(
      join(project, "package.json"),
      JSON.stringify({
        name: "project",
        type: "module",
        dependencies: {
          thole: `file:${tarball}`,
          ...Object.fromEntries(dependencies.map((name) => [name, `file:${join(folder, "registry", name)}`])),
        },
      }),
    );
    await succeed("npm", ["install", "--offline", "--install-links", "--ignore-scripts", "--no-audit", "--no-fund"], project, node);
    const modules = join(project, "node_modules");
    const installedBytes = (await sizes(modules)).reduce((sum, [, bytes]) => sum + bytes, 0);
    await mkdir(join(modules, "@types"));
    await symlink(join(root, "node_modules/@types/node"), join(modules, "@types/node"));
    await symlink(join(root, "node_modules/undici-types"), join(modules, "undici-types"));
    return {
      project,
      packedBytes: (await stat(tarball)).size,
      installedBytes,
      files: (await sizes(join(modules, "thole"))).map(([path]) => path),
      remove: () => rm(folder, { recursive: true, force: true }),
    };
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

async function succeed(command: string, args: readonly string[], cwd: string, node: string): Promise<void> {
  const { code, output, errors } = await run(command, args, { cwd, env: withNode(node) });
  if (code !== 0) throw new Error(`${command} ${args.join(" ")} exits with ${code}: ${output}${errors}`);
}

/** The names of the packages that the lock file installs for the dependencies of the packed package. */
async function productionPackages(manifest: string): Promise<readonly string[]> {
  const { packages } = JSON.parse(await readFile(join(root, "package-lock.json"), "utf8"));
  const { dependencies } = JSON.parse(await readFile(manifest, "utf8"));
  const names = new Set<string>();
  const waiting = Object.keys(dependencies);
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (names.has(name)) continue;
    names.add(name);
    waiting.push(...Object.keys(packages[`node_modules/${name}`].dependencies ?? {}));
  }
  return [...names].sort();
}

async function sizes(folder: string): Promise<readonly (readonly [path: string, bytes: number])[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return await Promise.all(
    entries.filter((entry) => entry.isFile()).map(async (entry) => {
      const path = join(entry.parentPath, entry.name);
      return [path.slice(folder.length + 1), (await stat(path)).size] as const;
    }),
  );
}
