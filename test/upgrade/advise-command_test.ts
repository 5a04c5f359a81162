// `thole advise` as a process, with the permissions of `npm start`: files, charts, --fix, exit codes.
// In Deno's suite only: findings do not depend on the runtime; advise-store_test.ts runs the command on both.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import process from "node:process";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { launchOf } from "../../server/startup/permissions.ts";
import { ownRuntime, runtimePath } from "../real-server.ts";

const main = fileURLToPath(new URL("../../server/main.ts", import.meta.url));
let folder = "";
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "thole-advise-"));
  await mkdir(join(folder, "bin"));
});
after(() => rm(folder, { recursive: true, force: true }));

/** Runs the command in the folder; `bin` in it is first on PATH. */
function advise(...args: readonly string[]): Promise<{ readonly code: number | null; readonly output: string; readonly errors: string }> {
  const words = ["advise", ...args];
  const flags = ownRuntime === "deno"
    ? ["run", "--no-check", ...launchOf(words, folder).permissions]
    : ["--disable-warning=ExperimentalWarning"];
  return new Promise((resolve, reject) => {
    const env = { ...process.env, PATH: `${join(folder, "bin")}${delimiter}${process.env.PATH}` };
    const child = spawn(runtimePath(ownRuntime), [...flags, main, ...words], { cwd: folder, stdio: ["ignore", "pipe", "pipe"], env });
    let output = "", errors = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => output += text);
    child.stderr.setEncoding("utf8").on("data", (text: string) => errors += text);
    child.on("error", reject).on("close", (code) => resolve({ code, output, errors }));
  });
}

const old = "apiVersion: batch/v1beta1\nkind: CronJob   # kept\nmetadata: {name: a}\n";
const summary = (ended: number, later = 0, unread = 0) =>
  `thole: ${ended} uses end by 1.35, ${later} later or without a failure; ${unread} places cannot be read\n`;

test("advise prints the uses of files with their fix, and exits with 2, 0 or 1", async () => {
  await writeFile(join(folder, "old.yaml"), `# a\n${old}`);
  const text = "old.yaml:2: error: CronJob a is batch/v1beta1, removed in 1.25; use batch/v1\n    fix: thole convert -f old.yaml\n";
  assert.deepEqual(await advise("-f", "old.yaml"), { code: 2, output: text, errors: summary(1) });
  assert.deepEqual((await advise("-f", "old.yaml", "--target-version=v1.24")).code, 0);
  const missing = await advise("-f", "old.yaml", "-f", "none.yaml");
  assert.deepEqual([missing.code, missing.output], [1, text]);
  const { code, errors } = await advise("-f", "old.yaml", "-o", "yaml");
  assert.deepEqual([code, errors], [1, 'thole: advise: flag "--output": "yaml" is not text, json or sarif (thole help advise)\n']);
  assert.match((await advise("--target-version=2")).errors, /"2" is no release such as 1\.35/);
  assert.match((await advise()).errors, /nothing to look at/);
});

test("--fix converts files in place, keeps their mode and links, and reports what is left", async () => {
  const path = join(folder, "fixed");
  await mkdir(path);
  await writeFile(join(path, "a.yaml"), old, { mode: 0o640 });
  await symlink("a.yaml", join(path, "link.yaml"));
  await writeFile(
    join(path, "csr.yaml"),
    "apiVersion: certificates.k8s.io/v1beta1\nkind: CertificateSigningRequest\nspec: {usages: [any]}\n",
  );
  await writeFile(join(path, "template.yaml"), `${old}x: {{ .Values.x }}\n`);
  const { code, output, errors } = await advise("-f", "fixed", "--fix");
  assert.equal(code, 2, errors);
  assert.match(
    output,
    /^fixed\/template\.yaml:1: error: CronJob is batch\/v1beta1, removed in 1\.25; use batch\/v1\n {4}fix: change the template/,
  );
  assert.match(errors, /^thole: fixed\/a\.yaml: converted 1 objects\n/);
  assert.match(errors, /^fixed\/csr\.yaml:3: spec\.signerName: choice: required/m);
  assert.equal(await readFile(join(path, "a.yaml"), "utf8"), old.replace("v1beta1", "v1"));
  assert.equal((await stat(join(path, "a.yaml"))).mode & 0o777, 0o640);
  assert.deepEqual(await readdir(path), ["a.yaml", "csr.yaml", "link.yaml", "template.yaml"]);
  assert.equal((await readFile(join(path, "template.yaml"), "utf8")).startsWith(old), true);
});

test("--fix exits with 2 while a choice is left in a converted file, and with 0 for notes", async () => {
  const csr = "apiVersion: certificates.k8s.io/v1beta1\nkind: CertificateSigningRequest\nspec: {request: eA==}\n";
  await writeFile(join(folder, "choice.yaml"), csr);
  await writeFile(join(folder, "note.yaml"), csr.replace("{", "{signerName: example.com/a, "));
  const noted = await advise("-f", "note.yaml", "--fix");
  assert.equal(noted.code, 0, noted.errors);
  assert.match(noted.errors, /^note\.yaml:3: spec\.usages: note: .*\n.*; 0 choices are left\n$/m);
  const left = await advise("-f", "choice.yaml", "--fix");
  assert.deepEqual([left.code, left.output], [2, ""]);
  assert.match(left.errors, /; 0 places cannot be read; 1 choices are left\n$/);
});

test("a chart is rendered by helm, with the lines of its templates; without helm its templates are searched", async () => {
  const chart = join(folder, "chart");
  await mkdir(join(chart, "templates"), { recursive: true });
  await writeFile(join(chart, "Chart.yaml"), "apiVersion: v2\nname: web\nversion: 1.0.0\n");
  await writeFile(join(chart, "templates", "job.yaml"), `{{- if .Values.on }}\n${old}{{- end }}\n`);
  await writeFile(join(chart, "templates", "made.yaml"), "apiVersion: {{ .Values.version }}\nkind: Ingress\n");
  const searched = await advise("-f", "chart", "-R");
  assert.deepEqual(searched.output.split("\n").filter((line) => line.startsWith("chart")), [
    "chart/templates/job.yaml:2: error: CronJob is batch/v1beta1, removed in 1.25; use batch/v1",
  ]);
  const helm = join(folder, "bin", "helm");
  const rendered =
    `---\n# Source: web/templates/job.yaml\n${old}---\n# Source: web/templates/made.yaml\napiVersion: extensions/v1beta1\nkind: Ingress\n`;
  await writeFile(helm, `#!/bin/sh\n[ "$1 $2 $3" = "template release-name ./chart" ] && cat <<'END'\n${rendered}END\n`);
  await chmod(helm, 0o755);
  const { code, output } = await advise("-f", "chart", "-R");
  assert.equal(code, 2);
  assert.deepEqual(output.split("\n").filter((line) => line.startsWith("chart")), [
    "chart/templates/job.yaml:2: error: CronJob a is batch/v1beta1, removed in 1.25; use batch/v1",
    "chart/templates/made.yaml: error: Ingress is extensions/v1beta1, removed in 1.22; use networking.k8s.io/v1",
  ]);
  await writeFile(helm, "#!/bin/sh\necho 'Error: no values' >&2\nexit 1\n");
  const failed = await advise("-f", "chart", "-R");
  assert.deepEqual([failed.code, failed.output], [1, ""]);
  assert.match(failed.errors, /^thole: chart: helm template fails: Error: no values\n/);
});

test("links in a folder are not followed to pipes, and --fix does not change what they lead to", async () => {
  const inside = join(folder, "linked");
  await mkdir(inside);
  await writeFile(join(folder, "outside.yaml"), old);
  await symlink(join(folder, "outside.yaml"), join(inside, "link.yaml"));
  execFileSync("mkfifo", [join(folder, "pipe")]);
  await symlink(join(folder, "pipe"), join(inside, "pipe.yaml"));
  const { code, errors } = await advise("-f", "linked", "--fix");
  assert.equal(code, 1);
  assert.match(errors, /^thole: linked\/link\.yaml: cannot be changed: it is a link that leads out of the folder/);
  assert.equal(await readFile(join(folder, "outside.yaml"), "utf8"), old);
});

test("a folder whose name is a flag of helm is a chart and no flag", async () => {
  const hostile = join(folder, "hostile"), chart = join(hostile, "--post-renderer=run");
  await mkdir(join(chart, "templates"), { recursive: true });
  await writeFile(join(chart, "Chart.yaml"), "apiVersion: v2\nname: web\nversion: 1.0.0\n");
  await writeFile(join(chart, "templates", "job.yaml"), old);
  await writeFile(join(folder, "bin", "helm"), '#!/bin/sh\necho "Error: $3" >&2\nexit 1\n');
  await chmod(join(folder, "bin", "helm"), 0o755);
  const { errors } = await advise("-f", "hostile", "-R");
  assert.match(errors, /helm template fails: Error: \.\/hostile\/--post-renderer=run\n/);
});
