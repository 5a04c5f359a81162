// The commands of the program, as processes.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { httpsClient } from "../https.ts";
import { example } from "../package/example.ts";
import { run, type Runtime, runtimePath, startCommand, startSkipped, until } from "../real-server.ts";

const main = fileURLToPath(new URL("../../server/main.ts", import.meta.url));
const root = fileURLToPath(new URL("../..", import.meta.url));

function words(runtime: Runtime, ...args: readonly string[]): [string, ...string[]] {
  const flags = runtime === "deno" ? ["run", "-A", "--no-check"] : ["--disable-warning=ExperimentalWarning"];
  return [runtimePath(runtime), ...flags, main, ...args];
}

for (const runtime of ["deno", "node"] as const) {
  describe(`the commands on ${runtime}`, { skip: startSkipped(runtime) }, () => {
    let folder = "";
    before(async () => {
      folder = await mkdtemp(join(tmpdir(), "thole-commands-"));
    });
    after(() => rm(folder, { recursive: true, force: true }));
    const thole = (...args: readonly string[]) => {
      const [command, ...rest] = words(runtime, ...args);
      return run(command, rest, { cwd: folder });
    };

    it("are started at their old places too", async () => {
      for (
        const [old, now, ...args] of [["kernel/main", "server/main", "version"], [
          "kernel/startup/permissions",
          "server/startup/permissions",
          "serve",
        ]]
      ) {
        const [command, ...rest] = words(runtime, ...args), flags = rest.slice(0, rest.indexOf(main));
        const at = (place: string) => run(command, [...flags, join(root, `${place}.ts`), ...args], { cwd: folder });
        const [before, after] = [await at(old!), await at(now!)];
        assert.equal(before.code, 0, before.errors);
        assert.deepEqual([before.output, before.output !== ""], [after.output, true]);
      }
    });

    it("check reports every mistake in the configuration and its files, and exits with 1", async () => {
      await writeFile(
        join(folder, "wrong.yaml"),
        "secure-prt: 1\nclient-ca-file: none.pem\nplugins: [clster]\nfeature-gates: {Nope: true}\n",
      );
      const { code, output, errors } = await thole("check", "wrong.yaml");
      assert.deepEqual([code, output], [1, ""]);
      const lines = errors.trim().split("\n");
      const places = ["1:1", "2:17", "3:11", "4:17"];
      for (const [index, text] of ['unknown setting "secure-prt"', "none.pem", 'unknown plugin "clster"', '"Nope"'].entries()) {
        assert.ok(
          lines.some((line) => line.startsWith(`wrong.yaml:${places[index]}: error: `) && line.includes(text)),
          `${text}: ${errors}`,
        );
      }
      assert.equal(lines.at(-1), "thole: 4 errors, 0 warnings");
    });

    it("check accepts a configuration, opens no port and creates no file", async () => {
      await writeFile(join(folder, "right.yaml"), "secure-port: 1\nplugins: [-csi]\ndata-dir: nowhere\n");
      const { code, output } = await thole("check", "right.yaml", "--store");
      assert.equal(code, 0);
      assert.match(output, /^The configuration is valid: 25 plugins \(.*\), \d+ API groups\.\nThere is no store yet\.\n$/);
      assert.equal((await readdir(folder)).includes("nowhere"), false);
    });

    it("version, help and completion print to the standard output", async () => {
      const { thole: own, gitVersion } = JSON.parse((await thole("version", "-o", "json")).output);
      assert.equal((await thole("--version")).output.startsWith(`Thole ${own} (Kubernetes ${gitVersion}) on ${runtime}`), true);
      assert.match((await thole("help")).output, /^Usage: thole \[COMMAND\][\s\S]*^ {2}check +check the conf[\s\S]*^ {2}--secure-port=/m);
      assert.match((await thole("dev", "--help")).output, /^Usage: thole dev /);
      const { code, errors } = await thole("complete");
      assert.deepEqual([code, errors.split(" (")[0]], [1, 'thole: unknown command "complete": did you mean "completion"?']);
    });

    it("completion completes commands, flags and their values in bash", async () => {
      const script = join(folder, "completion.bash");
      await writeFile(script, (await thole("completion", "bash")).output);
      const completed = async (...typed: readonly string[]) => {
        const code = `source ${script}; COMP_WORDS=(${
          typed.map((word) => `'${word}'`).join(" ")
        }); COMP_CWORD=${typed.length - 1}; _thole; ` +
          'printf "%s\\n" "${COMPREPLY[@]}"';
        const { output, errors } = await run("bash", ["-c", code], { cwd: folder });
        return errors === "" ? output.trim().split("\n") : [errors];
      };
      assert.deepEqual(await completed("thole", "c"), ["check", "convert", "completion"]);
      assert.deepEqual(await completed("thole", "convert", "--out"), ["--output-version="]);
      assert.deepEqual(await completed("thole", "completion", "z"), ["zsh"]);
      assert.deepEqual(await completed("thole", "import", "--from-s"), ["--from-snapshot="]);
      assert.deepEqual(await completed("thole", "serve", "--from-s"), [""]);
      assert.deepEqual(await completed("thole", "verify", "--output", "=", "j"), ["json"]);
      assert.deepEqual(await completed("thole", "check", "--sto"), ["--store"]);
      assert.deepEqual(await completed("thole", "serve", "--secure-p"), ["--secure-port="]);
      assert.deepEqual(await completed("thole", "--anonymous-auth", "=", "f"), ["false"]);
      assert.deepEqual(await completed("thole", "--logging-format", "="), ["text", "json"]);
      assert.deepEqual(await completed("thole", "--plugins", "=", "conf"), ["configmaps"]);
      assert.deepEqual(await completed("thole", "--plugins", "=", "configmaps,clus"), ["configmaps,cluster"]);
      const gates = await completed("thole", "--feature-gates", "=", "WatchList", "=", "true,StorageVersionM");
      assert.deepEqual(gates, ["true,StorageVersionMigrator=true", "true,StorageVersionMigrator=false"]);
      assert.deepEqual(await completed("thole", "--v", "=", "3", "--anonymous-auth", "=", "t"), ["true"]);
      assert.deepEqual(await completed("thole", "--v", "=", "3", "--plug"), ["--plugins="]);
      await writeFile(join(folder, "my.yaml"), "{}");
      assert.deepEqual(await completed("thole", "--config", "=", "my"), ["my.yaml"]);
      // Names of files are neither split, replaced nor run, and readline is told to quote them.
      for (const name of ["odd $(touch run) *.yaml", "odd`touch run`.yaml"]) await writeFile(join(folder, name), "{}");
      assert.deepEqual((await completed("thole", "check", "odd")).toSorted(), ["odd $(touch run) *.yaml", "odd`touch run`.yaml"]);
      assert.deepEqual(await completed("thole", "serve", "--config", "=", "$(touch run)"), [""]);
      assert.equal(existsSync(join(folder, "run")), false);
      assert.match(await readFile(script, "utf8"), /compopt -o filenames/);
    });

    it("completion completes commands, flags and lists of values in fish and in a zsh with a terminal", async (context) => {
      const fish = join(folder, "thole.fish"), own = join(folder, "functions");
      const has = (shell: string) => run(shell, ["-c", "exit 0"]).then(({ code }) => code === 0, () => false);
      const [hasFish, hasZsh] = await Promise.all([has("fish"), has("zsh")]);
      if (!hasFish && !hasZsh) return context.skip("no fish and no zsh on PATH");
      if (hasFish) {
        await writeFile(fish, (await thole("completion", "fish")).output);
        const completed = async (typed: string) => {
          const { output, errors } = await run("fish", ["--no-config", "-c", `source ${fish}; complete -C '${typed}'`], { cwd: folder });
          assert.equal(errors, "");
          return output.trim().split("\n").map((line) => line.split("\t")[0]);
        };
        assert.deepEqual(await completed("thole che"), ["check"]);
        assert.deepEqual(await completed("thole completion z"), ["zsh"]);
        assert.deepEqual(await completed("thole import --from-s"), ["--from-snapshot"]);
        assert.deepEqual(await completed("thole --secure-p"), ["--secure-port"]);
        assert.deepEqual(await completed("thole --plugins=configmaps,clus"), ["--plugins=configmaps,cluster"]);
      }
      if (hasZsh) {
        await mkdir(own);
        await writeFile(join(own, "_thole"), (await thole("completion", "zsh")).output);
        const typed = [
          "thole che|check",
          "thole completion z|zsh",
          "thole import --from-s|--from-snapshot",
          "thole --secure-p|--secure-port",
          "thole --plugins=configmaps,clus|,cluster",
        ];
        const { code, errors } = await run("zsh", ["-f", join(root, "test/start/complete.zsh"), own, ...typed], { cwd: folder });
        assert.equal(code, 0, errors);
      }
    });

    it("dev ends and removes its folder when nothing reads its output any more", async () => {
      const command = ["sh", "-c", `"$@" | sed '/^export KUBECONFIG=/q'`, "sh", ...words(runtime, "dev", "--secure-port=0")];
      const program = await startCommand(command, { cwd: folder });
      await until(() => assert.match(program.output(), /^export KUBECONFIG=/m, program.errors()));
      const kubeconfig = /^export KUBECONFIG=(.*)$/m.exec(program.output())![1]!, access = await readFile(kubeconfig, "utf8");
      const ca = Buffer.from(/certificate-authority-data: (.*)/.exec(access)![1]!, "base64").toString();
      const client = httpsClient({ port: Number(/server: "?https:\/\/127\.0\.0\.1:(\d+)/.exec(access)![1]), ca, single: true });
      // The line of this request is the first that fails.
      await client.ask("/livez");
      client.close();
      await program.exited;
      await assert.rejects(readFile(kubeconfig), /ENOENT|No such file/);
    });

    it("dev restarts the server when a plugin changes, and keeps its objects", async () => {
      const own = join(folder, "own");
      await mkdir(own);
      const text = (await example()).replaceAll('"thole/plugin"', JSON.stringify(join(root, "plugin.ts")));
      await writeFile(join(own, "widgets.ts"), text);
      const program = await startCommand(words(runtime, "dev", "--plugins=./own/widgets.ts", "--secure-port=0"), { cwd: folder });
      let kubeconfig = "";
      try {
        await until(() => assert.match(program.output(), /^export KUBECONFIG=/m, program.errors()));
        kubeconfig = /^export KUBECONFIG=(.*)$/m.exec(program.output())![1]!;
        const port = Number(/^Thole serves on https:\/\/127\.0\.0\.1:(\d+)/m.exec(program.output())![1]);
        const access = await readFile(kubeconfig, "utf8");
        const part = (name: string) => Buffer.from(new RegExp(`${name}: (.*)`).exec(access)![1]!, "base64").toString();
        const admin = { cert: part("client-certificate-data"), key: part("client-key-data") };
        const client = () => httpsClient({ port, ca: part("certificate-authority-data"), identity: admin });
        const first = client();
        const made = await first.ask("/api/v1/namespaces/default/configmaps", { method: "POST", body: { metadata: { name: "kept" } } });
        assert.equal(made.status, 201, made.text);
        first.close();
        await until(() => assert.match(program.output(), /^[\d:.]+ POST +201 +[\d.]+ms \/api\/v1\/namespaces\/default\/configmaps/m));
        await writeFile(join(own, "widgets.ts"), "export const broken = ;");
        await until(() =>
          assert.match(program.output(), /widgets\.ts changed\n[\s\S]*the server ended; it starts again after the next change/)
        );
        await writeFile(join(own, "widgets.ts"), text.replaceAll("Widget", "Gadget").replaceAll("widgets", "gadgets"));
        await until(() => assert.match(program.output(), /^restarted in \d+ ms$/m));
        const second = client();
        assert.equal((await second.ask("/api/v1/namespaces/default/configmaps/kept")).status, 200);
        assert.equal((await second.ask("/apis/example.com/v1/gadgets")).status, 200);
        second.close();
      } finally {
        program.signal("SIGTERM");
        await program.exited;
      }
      assert.equal(await program.exited, 0, program.errors());
      assert.ok(!program.output().includes("\x1b"));
      await assert.rejects(readFile(kubeconfig), /ENOENT|No such file/);
    });
  });
}
