// The image without a container engine: the files of its instructions exist, and the resulting program runs.
import assert from "node:assert/strict";
import { chmod, cp, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import process from "node:process";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { httpsClient } from "../https.ts";
import { permissionFlags } from "../../server/startup/permissions.ts";
import { example } from "../package/example.ts";
import { openCollector } from "../otlp-receiver.ts";
import { freePort } from "../ports.ts";
import { run, runtimePath, startCommand, startSkipped, until } from "../real-server.ts";
import { all, type Stage, stagesOf, words } from "./containerfile.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const stages = stagesOf(join(root, "Containerfile"));
const [bundle, build] = [stages[0]!, stages[1]!], image = stages.at(-1)!;
const manifest = JSON.parse(await readFile(join(root, "package.json"), "utf8"));

const megabyte = 1_000_000;
const imageBytesMax = 150 * megabyte;
/** A distroless base with glibc and libgcc, unpacked. */
const baseBytes = 26 * megabyte;
const user = 65532;

/** The COPY instructions of a stage from the context. */
function fromContext(stage: Stage): readonly string[] {
  return all(stage, "COPY").filter((text) => !text.startsWith("--from="));
}

/** Sources and target of a COPY. */
function copied(text: string): { readonly from: readonly string[]; readonly to: string } {
  const parts = text.split(" ").filter((part) => !part.startsWith("--"));
  return { from: parts.slice(0, -1), to: parts.at(-1)! };
}

async function bytesBelow(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const sizes = await Promise.all(
    entries.filter((each) => each.isFile()).map(async (each) => (await stat(join(each.parentPath, each.name))).size),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

describe("the Containerfile", () => {
  it("copies files that exist and that .dockerignore does not exclude", async () => {
    const letThrough = (await readFile(join(root, ".dockerignore"), "utf8")).split("\n").filter((line) => line.startsWith("!"))
      .map((line) => line.slice(1));
    const from = [bundle, build].flatMap(fromContext).flatMap((text) => copied(text).from);
    for (const path of from) {
      await stat(join(root, path));
      assert.ok(letThrough.includes(path.split("/")[0]!), path);
    }
    const used = new Set(from.map((path) => path.split("/")[0]));
    assert.deepEqual(letThrough.filter((name) => !used.has(name)), [], "every copied file is used");
  });

  it("uses exact versions, and the Deno of package.json", () => {
    for (const { base } of [bundle, build]) assert.match(base, /:\d+\.\d+\.\d+-|@sha256:/);
    assert.match(image.base, new RegExp(`/deno:distroless-${manifest.dependencies.deno.replaceAll(".", "\\.")}$`));
    assert.deepEqual(stages.map(({ name }) => name), ["bundle", "build", ""]);
  });

  it("runs the bundle of npm start's program, as an unprivileged user", () => {
    // Its permissions are bounded by the container.
    const [deno, command, ...flags] = words(image, "ENTRYPOINT");
    assert.deepEqual([deno, command, flags.at(-1)], ["/bin/deno", "run", "/thole/main.js"]);
    const wide = permissionFlags(["--data-dir=/var/lib/thole", "--tracing-config-file=/tracing.yaml"], "/").map((flag) =>
      flag.replace(/^(--allow-(read|write|net))=.*/, "$1")
    );
    // Without the environment of the image's process, the program reads no variable.
    assert.ok(flags.includes("--ignore-env"));
    assert.deepEqual(flags.slice(0, -1).toSorted(), wide.filter((flag) => !flag.startsWith("--allow-env=")).toSorted());
    assert.deepEqual(all(image, "USER"), [`${user}:${user}`]);
    assert.equal(words(image, "HEALTHCHECK").at(-1), "https://127.0.0.1:6443/readyz");
  });
});

describe("the content of the image", { skip: startSkipped("deno") }, () => {
  let folder = "";
  /** A path of the image, or of its build stage, below the folder. */
  const here = (text: string) =>
    text.replaceAll("/bin/deno", runtimePath("deno")).replaceAll(/(?<=^|[\s="])\/(thole|deno-dir|state|bundle)\b/g, `${folder}/$1`)
      .replaceAll("/var/lib/thole", join(folder, "state"));

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "thole-image-"));
    const tree = join(folder, "thole");
    await mkdir(tree);
    await made(bundle, root, "npm ci --ignore-scripts "); // The context has all packages.
    for (const { from, to } of fromContext(build).map(copied)) {
      for (const path of from) {
        await cp(join(root, path), join(tree, to.endsWith("/") ? join(to, path.split("/").at(-1)!) : to), { recursive: true });
      }
    }
    const [brought] = all(build, "COPY").filter((text) => text.startsWith("--from=bundle "));
    assert.deepEqual(copied(brought!), { from: ["/bundle"], to: "/thole" });
    await cp(join(folder, "bundle"), tree, { recursive: true });
    await dependencies(tree);
    await made(build, tree, "npm ci --omit=dev ");
  });
  after(() => rm(folder, { recursive: true, force: true }));

  /** Runs the steps of a stage after the first one, which installs packages. */
  async function made(stage: Stage, cwd: string, begins: string): Promise<void> {
    const [install = "", ...steps] = all(stage, "RUN");
    assert.ok(install.startsWith(begins), install);
    for (const step of steps) {
      const { code, output, errors } = await run("sh", ["-c", here(step)], { cwd });
      assert.equal(code, 0, output + errors);
    }
  }

  /** The packages of `npm ci --omit=dev`, by the lock file; the same step deletes the Node for tests. */
  async function dependencies(tree: string): Promise<void> {
    const { packages } = JSON.parse(await readFile(join(root, "package-lock.json"), "utf8"));
    const wanted = Object.entries<{ readonly dev?: boolean }>(packages).filter(([path, { dev }]) =>
      path !== "" && !dev && !path.includes("node-linux-")
    );
    for (const [path] of wanted) {
      const there = await stat(join(root, path)).then(() => true, () => false);
      if (!there) continue; // For another platform.
      await mkdir(dirname(join(tree, path)), { recursive: true });
      const { code, errors } = await run("cp", ["-a", join(root, path), join(tree, path)]);
      assert.equal(code, 0, errors);
    }
  }

  it("contains no test and no development package", async () => {
    const files = await readdir(join(folder, "thole"), { recursive: true });
    assert.deepEqual(files.filter((file) => !file.includes("node_modules/") && /_(test|bench)\.ts$/.test(file)), []);
    assert.deepEqual(files.filter((file) => /^(kernel\/(?!listen)|plugins\/)/.test(file)), [], "only the sources of the scripts");
    for (const name of Object.keys(manifest.devDependencies)) {
      assert.ok(!files.some((file) => file.startsWith(`node_modules/${name}/`)), name);
    }
    for (const name of Object.keys(manifest.dependencies).filter((each) => each !== "deno")) {
      assert.ok(files.includes(`node_modules/${name}/package.json`), name);
    }
  });

  it("is below 150 MB with its base", async (context) => {
    const bytes = await bytesBelow(join(folder, "thole")) + await bytesBelow(join(folder, "deno-dir"));
    const deno = (await stat(join(root, "node_modules/deno/deno")).catch(() => stat(runtimePath("deno")))).size;
    const whole = baseBytes + deno + bytes;
    context.diagnostic(`base ${baseBytes / megabyte} MB, deno ${Math.round(deno / megabyte)} MB, tree ${(bytes / megabyte).toFixed(1)} MB`);
    assert.ok(whole < imageBytesMax, `${whole} bytes`);
    assert.ok(bytes < 28 * megabyte, `${bytes} bytes beside Deno`);
  });

  it("keeps the code of a start, which the user of the server can read and V8 accepts", async () => {
    const tree = join(folder, "thole"), files = await readdir(tree);
    const [code = "", ...more] = files.filter((file) => file.endsWith(".cjs.code"));
    assert.deepEqual(more, []);
    assert.equal((await stat(join(tree, code))).mode & 0o004, 0o004);
    const script = code.slice(0, -".code".length);
    const program = [
      'import { readFileSync } from "node:fs"; import { wrap } from "node:module"; import { Script } from "node:vm";',
      `const { cachedDataRejected } = new Script(wrap(readFileSync(${JSON.stringify(join(tree, script))}, "latin1")), {`,
      // After the code there is a checksum.
      `  cachedData: readFileSync(${JSON.stringify(join(tree, code))}).subarray(0, -4) });`,
      "console.log(cachedDataRejected);",
    ];
    const checking = join(folder, "accepted.mjs");
    await writeFile(checking, program.join("\n"));
    const { output, errors } = await run(runtimePath("deno"), ["run", "--no-prompt", "--allow-read", checking]);
    assert.equal(output, "false\n", errors);
    assert.deepEqual(files.filter((file) => file.startsWith("keep-code")), []);
  });

  interface Started {
    readonly port: number;
    readonly data: string;
    /** Runs a command of the image on this machine. */
    run(words: readonly string[]): ReturnType<typeof run>;
  }
  /** Runs the image's command with these additional flags, as its user. */
  async function started(more: readonly string[], use: (server: Started) => Promise<void>): Promise<void> {
    const root0 = process.getuid?.() === 0;
    const data = join(folder, "state");
    if (root0) {
      await chmod(folder, 0o755);
      await run("cp", [runtimePath("deno"), join(folder, "deno")]); // The folder may be inaccessible to other users.
      await run("chown", ["-R", `${user}:${user}`, data]);
    }
    const program = (text: string) => root0 ? text.replaceAll(runtimePath("deno"), join(folder, "deno")) : text;
    const port = await freePort();
    const defaults = words(image, "CMD").map((word) => word.replace("--bind-address=0.0.0.0", "--bind-address=127.0.0.1"));
    const env = { DENO_DIR: join(folder, "deno-dir"), PATH: "/usr/bin:/bin" };
    const as = root0 ? { uid: user, gid: user } : {};
    const command = [...words(image, "ENTRYPOINT"), ...defaults].map(here).map(program);
    const server = await startCommand([...command, `--secure-port=${port}`, ...more], { cwd: join(folder, "thole"), env, ...as });
    try {
      await until(() => assert.match(server.output(), /^Thole serves on/m, server.errors()));
      await use({
        port,
        data,
        run(text) {
          const [command = "", ...rest] = text.map(here).map(program).map((word) => word.replace(":6443", `:${port}`));
          return run(command, rest, { env });
        },
      });
    } finally {
      server.signal("SIGTERM");
      assert.equal(await server.exited, 0, server.errors());
    }
  }

  it("serves as an unprivileged user, from read-only sources, and is healthy", () =>
    started([], async ({ port, data, run }) => {
      await until(async () => {
        const told = await run(words(image, "HEALTHCHECK"));
        assert.deepEqual([told.code, told.output], [0, "ok\n"], told.errors);
      });
      const ca = await readFile(join(data, "pki/ca.crt"), "utf8");
      const client = httpsClient({ port, ca });
      assert.equal((await client.ask("/version")).status, 200);
      client.close();
    }));

  it("has what traces need", async () => {
    const collector = await openCollector(), file = join(folder, "thole/tracing.yaml");
    try {
      await writeFile(
        file,
        "apiVersion: apiserver.config.k8s.io/v1\nkind: TracingConfiguration\nsamplingRatePerMillion: 1000000\n" +
          `endpoint: localhost:${collector.port}\n`,
      );
      await started([`--tracing-config-file=${file}`], async ({ port, data }) => {
        const client = httpsClient({ port, ca: await readFile(join(data, "pki/ca.crt"), "utf8") });
        assert.equal((await client.ask("/version")).status, 200);
        client.close();
      });
      assert.ok(collector.spans.some(({ name }) => name === "GET"));
    } finally {
      collector.close();
    }
  });

  it("serves a plugin that is mounted below /thole, as with the chart's extra volumes", async () => {
    // The layout of a mounted ConfigMap.
    const own = join(folder, "thole/own");
    await mkdir(join(own, "..1"), { recursive: true });
    await writeFile(join(own, "..1/widgets.ts"), await example());
    await symlink("..1", join(own, "..data"));
    await symlink("..data/widgets.ts", join(own, "widgets.ts"));
    await started([`--plugins=cluster,${here("/thole/own/widgets.ts")}`], async ({ port, data }) => {
      const [ca, cert, key] = await Promise.all(
        ["ca.crt", "admin.crt", "admin.key"].map((name) => readFile(join(data, "pki", name), "utf8")),
      );
      const client = httpsClient({ port, ca: ca!, identity: { cert: cert!, key: key! } });
      assert.equal((await client.ask("/apis/example.com/v1/widgets")).status, 200);
      client.close();
    });
  });
});

/** The last stage copies from the first only what exists there. */
it("the files that the image copies from its build stage exist", () => {
  const made = (stage: Stage) => ["/thole", ...all(stage, "RUN").flatMap((text) => text.match(/\/(deno-dir|state)\b/g) ?? [])];
  for (const text of all(image, "COPY")) {
    assert.match(text, /--from=build /);
    for (const path of copied(text).from) assert.ok(made(build).includes(path), path);
  }
});
