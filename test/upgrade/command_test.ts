// `thole convert` as a process, with the permissions of `npm start`.
// In Deno's suite only: conversions do not depend on the runtime.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { launchOf } from "../../server/startup/permissions.ts";
import { ownRuntime, runtimePath } from "../real-server.ts";
import { manifestBytesMax } from "../../commands/bounds.ts";

const main = fileURLToPath(new URL("../../server/main.ts", import.meta.url));
let folder = "";
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "thole-convert-"));
});
after(() => rm(folder, { recursive: true, force: true }));

/** Runs the command in the folder. */
function convert(
  args: readonly string[],
  input = "",
): Promise<{ readonly code: number | null; readonly output: string; readonly errors: string }> {
  const words = ["convert", ...args];
  const flags = ownRuntime === "deno"
    ? ["run", "--no-check", ...launchOf(words, folder).permissions]
    : ["--disable-warning=ExperimentalWarning"];
  return new Promise((resolve, reject) => {
    const child = spawn(runtimePath(ownRuntime), [...flags, main, ...words], { cwd: folder, stdio: "pipe" });
    let output = "", errors = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => output += text);
    child.stderr.setEncoding("utf8").on("data", (text: string) => errors += text);
    child.on("error", reject).on("close", (code) => resolve({ code, output, errors }));
    child.stdin.end(input);
  });
}

const old = "apiVersion: batch/v1beta1\nkind: CronJob   # kept\n", converted = old.replace("v1beta1", "v1");
const summary = (objects: number, choices = 0, errors = 0) =>
  `thole: converted ${objects} objects; ${choices} choices are left; ${errors} files or documents cannot be read\n`;

test("convert reads the standard input, and files in their order as one stream", async () => {
  assert.deepEqual(await convert(["-f", "-"], old), { code: 0, output: converted, errors: summary(1) });
  await writeFile(join(folder, "a.yaml"), old.trimEnd());
  await writeFile(join(folder, "b.yaml"), `---\n${old}---\n`);
  await writeFile(join(folder, "c.yaml"), "kind: Other\n");
  const { code, output } = await convert(["-f", "a.yaml", "--filename=b.yaml", "-fc.yaml"]);
  assert.deepEqual([code, output], [0, `${converted}---\n${converted}---\nkind: Other\n`]);
});

test("convert reads the YAML and JSON files of a folder by name, and with -R those below it", async () => {
  const path = join(folder, "objects");
  await mkdir(join(path, "b", "c"), { recursive: true });
  for (const name of ["z.json", "a.yml", "b/c/d.yaml"]) {
    await writeFile(join(path, name), `{"apiVersion":"batch/v1beta1","kind":"CronJob","name":"${name}"}\n`);
  }
  await writeFile(join(path, "notes.txt"), old);
  const names = async (...args: readonly string[]) =>
    [...(await convert(["-f", "objects", ...args])).output.matchAll(/"name":"([^"]*)"/g)].map(([, name]) => name);
  assert.deepEqual(await names(), ["a.yml", "z.json"]);
  assert.deepEqual(await names("-R"), ["a.yml", "b/c/d.yaml", "z.json"]);
});

test("convert exits with 2 if choices are left, which it prints with file and line, and with 1 if a file cannot be read", async () => {
  await writeFile(
    join(folder, "csr.yaml"),
    "# a\napiVersion: certificates.k8s.io/v1beta1\nkind: CertificateSigningRequest\nspec:\n  usages: [any]\n",
  );
  const { code, errors } = await convert(["-f", "csr.yaml"]);
  assert.equal(code, 2);
  assert.equal(errors, `csr.yaml:4: spec.signerName: choice: required: the signer that shall issue the certificate\n${summary(1, 1)}`);
  await writeFile(join(folder, "broken.yaml"), `${old}a: "b\n`);
  await writeFile(join(folder, "bytes.yaml"), new Uint8Array([0xff, 0xfe, 0x00]));
  await writeFile(join(folder, "large.yaml"), new Uint8Array(manifestBytesMax + 1));
  const broken = await convert(["-f", "csr.yaml", "-f", "broken.yaml", "-f", "bytes.yaml", "-f", "none.yaml", "-f", "large.yaml"]);
  assert.equal(broken.code, 1);
  for (
    const text of [
      /^broken\.yaml:\d+: invalid YAML: /m,
      /^thole: bytes\.yaml: /m,
      /^thole: none\.yaml: ENOENT/m,
      /^thole: large\.yaml: larger than 16777216 bytes$/m,
    ]
  ) {
    assert.match(broken.errors, text);
  }
});

test("convert rejects a mistaken command line", async () => {
  for (
    const [args, message] of [
      [[], "convert: -f FILE is required"],
      [
        ["-f", "-", "--output-version", "apps/v2"],
        'convert: no kind can be converted to "apps/v2"; the versions are admissionregistration.k8s.io/v1, ',
      ],
      [["-f", "-", "a.yaml"], 'convert: unexpected argument "a.yaml"'],
    ] as const
  ) {
    const { code, output, errors } = await convert(args);
    assert.deepEqual([code, output], [1, ""]);
    assert.ok(errors.startsWith(`thole: ${message}`), errors);
  }
});
