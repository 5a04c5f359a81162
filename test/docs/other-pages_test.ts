// Files, values, programs and commands of several pages, each with the server or the check that it is for.
// In Deno's suite only: files and values of pages mean the same on both, and test/package/installed_test.ts runs programs on Node.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { settingsOf } from "../../server/config/command-flags.ts";
import { isCommand } from "../../server/config/commands.ts";
import { ConfigError, parseArguments } from "../../server/config/parse.ts";
import { settings } from "../../server/config/settings.ts";
import { readConfiguration } from "../../server/startup/read-configuration.ts";
import { plugins } from "../../plugins/mod.ts";
import { chart, documentsOf } from "../chart/helm.ts";
import { kubectlMissing, kubectls } from "../clients/kubectl.ts";
import { inFolder, served } from "../flags/served.ts";
import { example } from "../package/example.ts";
import { run, runtimePath, startSkipped, until } from "../real-server.ts";
import { blockOf, blocksOf, replaced, root, shellFor } from "../../tools/docs/page-blocks.ts";

const guide = "docs/operators-guide.md", pluginPage = "docs/writing-a-plugin.md";
const noModules = () => Promise.reject(new Error("no module is loaded"));

test("docs/configuration.md: the example is a valid configuration", () =>
  inFolder(async (folder) => {
    const file = join(folder, "thole.yaml");
    await writeFile(file, blockOf("docs/configuration.md", "# yaml-language-server"));
    const { config, plugins: chosen } = (await readConfiguration([`--config=${file}`], plugins, noModules))!;
    assert.equal(config["max-requests-inflight"], 800);
    assert.deepEqual(plugins.filter((each) => !chosen.includes(each)).map(({ name }) => name), ["csi", "simulation"]);
  }));

test("README.md: the mistakes in flags have these messages", () => {
  const wanted = blockOf("README.md", "thole: unknown flag").trimEnd().split("\n");
  assert.throws(() => parseArguments(["--secure-prt=1", "--request-timeout=soon"], () => ""), (error) => {
    assert.ok(error instanceof ConfigError);
    assert.deepEqual(error.mistakes.map((mistake) => `thole: ${mistake}`), wanted);
    return true;
  });
});

/** Words of `npm start --` and `thole` in a block, line by line, without comments. Flags only. */
function flagsIn(text: string): readonly (readonly string[])[] {
  return text.split("\n").flatMap((line) => {
    const [, words] = /^(?:npm (?:start|run dev) --|(?:npx )?thole) (.+?)(?: +#.*)?$/.exec(line) ?? [];
    if (words === undefined) return [];
    const [first = "", ...rest] = words.split(" ");
    // Commands have flags of their own, too.
    const flags = isCommand(first) ? settingsOf({ name: first, args: rest }) : [first, ...rest];
    return [flags.filter((word) => word.startsWith("--") && word !== "--help")];
  });
}

test("README.md and the pages: command lines of the server have valid flags", () => {
  const blocks = ["README.md", guide, pluginPage, "docs/access.md", "docs/package.md"].flatMap(blocksOf);
  const lines = blocks.flatMap(({ text }) => flagsIn(text));
  assert.ok(lines.length > 10, `${lines.length}`);
  for (const flags of lines) assert.doesNotThrow(() => parseArguments(flags, () => ""), flags.join(" "));
});

test("values of the chart on the pages are among its values", () => {
  const [values] = documentsOf(readFileSync(join(chart, "values.yaml"), "utf8"));
  const texts = ["docs/behind-a-kube-apiserver.md", pluginPage].flatMap(blocksOf).map(({ text }) => text)
    .filter((text) => /^(liveSettings|settings): /.test(text));
  assert.equal(texts.length, 3);
  for (const each of texts.flatMap(documentsOf)) {
    for (const [name, value] of Object.entries(each)) {
      assert.ok(Object.hasOwn(values!, name), name);
      if (name === "settings" || name === "liveSettings") {
        for (const setting of Object.keys(value)) assert.ok(Object.hasOwn(settings, setting), setting);
      }
      if (name === "apiService") { for (const key of Object.keys(value)) assert.ok(Object.hasOwn(values!["apiService"], key), key); }
    }
  }
});

test(`${guide}: the audit policy, with which contents of Secrets are not recorded`, () =>
  inFolder(async (folder) => {
    const policy = join(folder, "policy.yaml"), log = join(folder, "audit.log");
    await writeFile(policy, blockOf(guide, "apiVersion: audit.k8s.io/v1"));
    await served([`--audit-policy-file=${policy}`, `--audit-log-path=${log}`], async ({ client }) => {
      const make = (kind: string, body: object) => client.ask(`/api/v1/namespaces/default/${kind}`, { method: "POST", body });
      assert.equal((await make("secrets", { metadata: { name: "a" }, stringData: { key: "hidden" } })).status, 201);
      assert.equal((await make("serviceaccounts", { metadata: { name: "robot" } })).status, 201);
      await until(async () => assert.equal((await client.ask("/livez")).status, 200));
    });
    const events = (await readFile(log, "utf8")).trim().split("\n").map((line) => JSON.parse(line));
    const levels = new Map(events.map(({ objectRef, level }) => [objectRef?.resource, level]));
    assert.deepEqual([levels.get("secrets"), levels.get("serviceaccounts")], ["Metadata", "Request"]);
    assert.ok(!JSON.stringify(events).includes("hidden"));
    assert.ok(events.every(({ requestURI, user }) => !requestURI.startsWith("/livez") && user.username !== "system:apiserver"));
  }));

test(`${guide}: the tracing configuration is valid, and the packages for it are those of package.json`, () =>
  inFolder(async (folder) => {
    const file = join(folder, "tracing.yaml"), text = blockOf(guide, "apiVersion: apiserver.config.k8s.io/v1\nkind: TracingConfiguration");
    await writeFile(file, text);
    await readConfiguration([`--tracing-config-file=${file}`], plugins, noModules);
    await writeFile(file, replaced(text, ["samplingRatePerMillion", "samplingRate"]));
    await assert.rejects(readConfiguration([`--tracing-config-file=${file}`], plugins, noModules), ConfigError);
    const { dependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
    const packages = [...blockOf(guide, "npm install @grpc/grpc-js").matchAll(/(@[\w/-]+)@([\d.]+)/g)];
    assert.equal(packages.length, 6);
    for (const [, name, version] of packages) assert.equal(dependencies[name!], version!, name!);
  }));

test(`${guide}: the job of Prometheus names the chart's rules, and the server's CA`, () => {
  const text = blockOf(guide, "rule_files:");
  const [{ scrape_configs: [job] }] = documentsOf(text) as any;
  assert.deepEqual([job.scheme, job.job_name, job.static_configs[0].labels], ["https", "thole", { namespace: "production" }]);
  const [, rules = ""] = /# (charts\/\S+)/.exec(text) ?? [];
  assert.ok(rules !== "" && existsSync(join(root, rules)), rules);
});

test(
  `${guide}: kubectl shows the holder of the lease and the position of a migration`,
  { skip: kubectlMissing() },
  () =>
    inFolder(async (folder) => {
      const flags = ["--feature-gates=StorageVersionMigrator=true", "--runtime-config=storagemigration.k8s.io/v1beta1=true"];
      await served(flags, async (server) => {
        const shell = await shellFor(folder, server);
        const spec = { holderIdentity: "host_1", renewTime: "2026-11-22T03:12:09.417000Z" };
        const leases = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases";
        const lease = { metadata: { name: "thole-controllers" }, spec };
        assert.equal((await server.client.ask(leases, { method: "POST", body: lease })).status, 201);
        const holder = await shell.good(blockOf(guide, "kubectl -n kube-system get lease"));
        assert.equal(holder, `${spec.holderIdentity}\n${spec.renewTime}\n`);
        const migration = { metadata: { name: "maps" }, spec: { resource: { group: "", resource: "configmaps" } } };
        const migrations = "/apis/storagemigration.k8s.io/v1beta1/storageversionmigrations";
        const made = await server.client.ask(migrations, { method: "POST", body: migration });
        assert.equal(made.status, 201, made.text);
        await until(async () => {
          const table = await shell.good(blockOf(guide, "kubectl get storageversionmigrations"));
          assert.match(table, /^NAME +STATUS +PLACE\nmaps +(Running|Succeeded) +/);
        });
      });
    }),
);

test(`${guide}: openssl generates a key that signs tokens`, { skip: kubectlMissing() }, () =>
  inFolder(async (folder) => {
    const [generate = ""] = blockOf(guide, "openssl genrsa").split("\n");
    assert.equal((await run("sh", ["-ec", generate], { cwd: folder })).code, 0);
    await served([`--service-account-signing-key-file=${join(folder, "signing.key")}`], async (server) => {
      const shell = await shellFor(folder, server);
      assert.match(await shell.good("kubectl create serviceaccount robot >&2 && kubectl create token robot"), /^ey/);
    });
  }));

test(
  "docs/custom-resources.md: the conversion by a webhook is valid in a definition",
  { skip: kubectlMissing() },
  () =>
    inFolder((folder) =>
      served([], async (server) => {
        const conversion = replaced(blockOf("docs/custom-resources.md", "conversion:"), ["LS0tLS1CRUdJTi...", btoa(server.ca)]);
        const version = (name: string, storage: boolean) => ({
          name,
          served: true,
          storage,
          schema: { openAPIV3Schema: { type: "object" } },
        });
        const spec = {
          group: "example.com",
          scope: "Namespaced",
          names: { kind: "Backup", plural: "backups" },
          versions: [version("v1", true), version("v2", false)],
          ...documentsOf(conversion)[0],
        };
        const kind = "CustomResourceDefinition", metadata = { name: "backups.example.com" };
        await writeFile(join(folder, "crd.json"), JSON.stringify({ apiVersion: "apiextensions.k8s.io/v1", kind, metadata, spec }));
        const shell = await shellFor(folder, server), path = "jsonpath={.spec.conversion.webhook.clientConfig.url}";
        assert.equal(await shell.good(`kubectl create -f crd.json -o ${path}`), "https://convert.example.com/backups");
      })
    ),
);

test(
  "docs/status-page.md: a user with its role sees the page, through kubectl's proxy",
  { skip: kubectlMissing() },
  () =>
    inFolder((folder) =>
      served([], async (server) => {
        const page = "docs/status-page.md", html = { accept: "text/html", authorization: `Bearer ${server.tokens.alice}` };
        assert.equal((await server.client.ask("/", { headers: html })).status, 403);
        await writeFile(join(folder, "role.yaml"), blockOf(page, "apiVersion: rbac.authorization.k8s.io/v1"));
        const shell = await shellFor(folder, server);
        await shell.good("kubectl apply -f role.yaml && kubectl create clusterrolebinding alice --clusterrole=status-page --user=alice");
        await until(async () => assert.match((await server.client.ask("/", { headers: html })).text, /^<!doctype html>/i));
        const [, ...words] = replaced(blockOf(page, "kubectl proxy"), ["8001", "0"]).trim().split(" ");
        const proxy = spawn(kubectls()[0]!, words, {
          env: { KUBECONFIG: join(folder, "kubeconfig"), HOME: folder },
          stdio: ["ignore", "pipe", "inherit"],
        });
        try {
          for await (const line of createInterface({ input: proxy.stdout })) {
            const answer = await fetch(`http://${/Starting to serve on (\S+)/.exec(line)![1]}/`, { headers: { accept: "text/html" } });
            assert.match(await answer.text(), /^<!doctype html>/i);
            break;
          }
        } finally {
          proxy.kill();
        }
      })
    ),
);

test(
  `${pluginPage}: the policy and the webhook of "One rule, four ways" are valid`,
  { skip: kubectlMissing() },
  () =>
    inFolder((folder) =>
      served([], async (server) => {
        const shell = await shellFor(folder, server);
        const text = replaced(blockOf(pluginPage, "# 3. As a policy"), ['"..."', JSON.stringify(btoa(server.ca))]);
        await writeFile(join(folder, "both.yaml"), text);
        assert.match(await shell.good("kubectl apply -f both.yaml"), /validatingadmissionpolicy\S*\/five created[\s\S]*\/five created/);
      })
    ),
);

/** Writes a module with the page's plugin beside it, which imports the repository as its package. */
async function withModules(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries({ "widgets.ts": await example(), ...files })) {
    const local = ([["plugin", "plugin.ts"], ["testing", "testing.ts"]] as const).reduce(
      (code, [entry, file]) => code.replaceAll(`"thole/${entry}"`, JSON.stringify(join(root, file))),
      text.replaceAll('"thole"', JSON.stringify(join(root, "mod.ts"))),
    );
    await writeFile(join(folder, name), local);
  }
}

for (const runtime of ["deno", "node"] as const) {
  test(
    `programs and tests of package.md and writing-a-plugin.md run (${runtime})`,
    { skip: startSkipped(runtime) },
    () =>
      inFolder(async (folder) => {
        const start = blockOf("docs/package.md", 'import { builtInPlugins, start } from "thole";');
        const short = blockOf(pluginPage, 'import { builtInPlugins, start } from "thole";');
        assert.ok(start.startsWith(short), "the longer of the two programs has the shorter one");
        const tested = blockOf(pluginPage, 'import { openTestServer } from "thole/testing";') + blockOf(pluginPage, "const gated =");
        const limits = replaced(blockOf(pluginPage, "const Limits = struct("), ["const Limits", "export const Limits"]);
        await withModules(folder, {
          "package.json": '{"type":"module"}',
          "start.ts": start,
          "tested.ts": tested.replace(
            "\n\n",
            '\nimport { widgetsPlugin } from "./widgets.ts";\nconst run = async () => {\n',
          ) + "console.log(answer.status, made.metadata.name);\n};\nawait run();\nprocess.exit();\n",
          "trips.ts": 'import { widgetsPlugin } from "./widgets.ts";\nconst runs: unknown[] = [];\n' +
            "const test = (_name: string, run: () => unknown) => runs.push(run());\n" +
            blockOf(pluginPage, "import { checkRoundTrips }") + blockOf(pluginPage, "const adjust =") +
            "await Promise.all(runs);\nconsole.log(`${runs.length} passed`);\n",
          "limits.ts":
            'import { field, int32, list, string, structsOf } from "thole/plugin";\nconst struct = structsOf("example.com/v1");\n' +
            `${limits}console.log(Limits !== undefined);\n`,
        });
        const flags = runtime === "deno" ? ["run", "-A", "--no-check"] : ["--disable-warning=ExperimentalWarning"];
        for (
          const [file, wanted] of [["start.ts", /^https:/], ["tested.ts", /^200 a$/m], ["trips.ts", /^1 passed$/m], [
            "limits.ts",
            /^true$/m,
          ]] as const
        ) {
          const { code, output, errors } = await run(runtimePath(runtime), [...flags, join(folder, file)], { cwd: dirname(folder) });
          assert.equal(code, 0, `${file}: ${errors}`);
          assert.match(output, wanted, file);
        }
      }),
  );
}
