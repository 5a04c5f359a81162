/** Proofs of the flags for observability and shutdown. */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { definePlugin } from "../../core/define/define.ts";
import { configMaps } from "../../plugins/configmaps/mod.ts";
import { plugins } from "../../plugins/mod.ts";
import process from "node:process";
import { etcdMissing, startEtcd } from "../etcd.ts";
import { httpsClient } from "../https.ts";
import { ownRuntime, programWords, run, startRealServer, until } from "../real-server.ts";
import { holdsItsPlace, inFolder, make, path, type Proof, type Served, served, statusOf } from "./served.ts";

/** A module's log lines of a server in process. */
const linesOf = ({ logged }: Served, module: string) => logged.map((line) => JSON.parse(line)).filter(({ logger }) => logger === module);

/** A plugin whose start hook never ends. */
const stuck = definePlugin({
  name: "stuck",
  summary: "Never gets ready.",
  startHooks: [{ name: "get-ready", run: () => new Promise(() => {}) }],
});

/** An etcd that stops responding without closing connections, and a server with a short and a long timeout of its checks. */
async function hungStore(context: { skip(reason: string): void }, little: "health" | "ready", path: string): Promise<void> {
  const missing = etcdMissing();
  if (missing !== false) return context.skip(missing);
  const etcd = await startEtcd();
  const much = little === "health" ? "ready" : "health";
  try {
    await served(
      [`--etcd-servers=${etcd.endpoint}`, `--etcd-${little}check-timeout=200ms`, `--etcd-${much}check-timeout=1h`],
      async (server) => {
        // The store is busy with the first objects for a moment.
        await until(async () => assert.equal(await statusOf(server, path), 200));
        process.kill(etcd.pid, "SIGSTOP");
        try {
          // The previous result of the check is cached for a moment.
          await until(async () => {
            const { status, text } = await server.client.ask(path);
            assert.deepEqual([status, text], [500, "internal server error: timed out\n"]);
          });
        } finally {
          process.kill(etcd.pid, "SIGCONT");
        }
      },
    );
  } finally {
    await etcd.stop();
  }
}

export const observing = {
  "exit-on-stdin-close": async () => {
    const [command, ...words] = programWords(ownRuntime, ["--data-dir=:memory:", "--secure-port=0", "--exit-on-stdin-close"], tmpdir());
    const { code, output, errors } = await run(command, words); // It closes the standard input at once.
    assert.equal(code, 0, errors);
    assert.match(errors, /"shutting down" reason="the standard input has closed"[\s\S]*"ended"/);
    assert.equal(existsSync(/^export KUBECONFIG=(.*)$/m.exec(output)?.[1] ?? ""), false);
    const server = await startRealServer({ runtime: ownRuntime }); // Its standard input is /dev/null.
    assert.ok(!server.errors().includes("shutting down"));
    await server.close();
  },
  "livez-grace-period": async () => {
    const statuses = (server: Served) => Promise.all(["/livez", "/healthz", "/readyz"].map((each) => statusOf(server, each)));
    const all = [...plugins, stuck];
    await served(["--livez-grace-period=1h"], async (server) => {
      assert.deepEqual(await statuses(server), [200, 500, 500], "only liveness waits");
      assert.match((await server.client.ask("/livez?verbose")).text, /^\[\+\]poststarthook\/get-ready ok$/m);
      assert.match((await server.client.ask("/readyz")).text, /^\[-\]poststarthook\/get-ready failed: reason withheld$/m);
      assert.equal((await server.client.ask("/readyz/poststarthook/get-ready")).text, "internal server error: not finished\n");
    }, all);
    await served(
      ["--livez-grace-period=300ms"],
      (server) => until(async () => assert.deepEqual(await statuses(server), [500, 500, 500])),
      all,
    );
    await served(
      [],
      async (server) => assert.deepEqual(await statuses(server), [500, 500, 500], "there is no grace unless asked for"),
      all,
    );
  },
  "etcd-healthcheck-timeout": (context) => hungStore(context, "health", "/livez/etcd"),
  "etcd-readycheck-timeout": (context) => hungStore(context, "ready", "/readyz/etcd-readiness"),
  "logging-format": async () => {
    const said = async (format: string) => {
      const server = await startRealServer({ args: ["-v=3", ...format === "" ? [] : [`--logging-format=${format}`]] });
      const client = httpsClient(server);
      await client.ask("/version", { headers: { "user-agent": "flags" } });
      await until(() => assert.match(server.errors(), /flags/));
      client.close();
      await server.close();
      return server.errors().split("\n").find((line) => line.includes("flags"))!;
    };
    const text =
      /^I\d{4} [\d:.]{15} +\d+ httplog\] "HTTP" verb="GET" URI="\/version" latency="[\d.]+ms" userAgent="flags" audit-ID="[-0-9a-f]{36}" srcIP="127\.0\.0\.1:\d+" user="admin" resp=200 bytes=\d+$/;
    assert.match(await said(""), text);
    const { message, URI, resp } = JSON.parse(await said("json"));
    assert.deepEqual([message, URI, resp], ["HTTP", "/version", 200]);
    await assert.rejects(served(["--logging-format=xml"], () => Promise.resolve()), /"xml" is not a format: it must be text or json/);
  },
  "v": async () => {
    const lines = async (...flags: readonly string[]) => {
      let count = 0;
      await served(flags, async (server) => {
        await statusOf(server, "/version");
        count = linesOf(server, "httplog").length;
      });
      return count;
    };
    for (const flags of [["-v=3"], ["-v", "3"], ["-v4"], ["--v=3"], ["--v", "10"]]) assert.equal(await lines(...flags), 1, flags.join(" "));
    for (const flags of [[], ["-v=2"], ["--v=0"]]) assert.equal(await lines(...flags), 0, flags.join(" "));
    await assert.rejects(lines("-v=loud"), /flag "-v": "loud" is not a number/);
    await assert.rejects(lines("-v"), /flag "-v" needs a value/);
  },
  "vmodule": async () => {
    const answered = async (flag: string) => {
      let count = 0;
      await served(["-v=2", flag], async (server) => {
        await statusOf(server, "/version");
        count = linesOf(server, "httplog").length;
      });
      return count;
    };
    assert.deepEqual([await answered("--vmodule=store=1,http*=3"), await answered("--vmodule=httplo=3")], [1, 0]);
    await assert.rejects(answered("--vmodule=httplog"), /"httplog" is not module=level/);
  },
  "slow-request-threshold": async () => {
    const slow = definePlugin({
      name: "slow",
      summary: "Takes its time.",
      admission: [{ name: "Slow", resources: [configMaps], refuse: () => new Promise((resolve) => setTimeout(resolve, 30)) }],
    });
    const traced = async (flag: string) => {
      let traces: readonly any[] = [];
      await served([flag], async (server) => {
        await make(server, "a");
        traces = linesOf(server, "trace").filter(({ verb }) => verb === "POST");
      }, [...plugins, slow]);
      return traces;
    };
    const [trace] = await traced("--slow-request-threshold=20ms");
    assert.equal(trace.message, "a request was slow");
    assert.deepEqual(trace.steps.map((step: string) => step.replace(/ [\d.]+ms$/, "")), [
      "authenticated",
      "authorized",
      "body read",
      "admission has changed the object",
      "validated and admitted",
      "verb done",
      "answer sent",
    ]);
    assert.deepEqual(await traced("--slow-request-threshold=0"), []);
    assert.deepEqual(await traced("--slow-request-threshold=1h"), []);
  },
  "shutdown-send-retry-after": async () => {
    const whileSlow = async (flags: readonly string[], use: (server: Served) => Promise<void>) => {
      const mayGoOn = Promise.withResolvers<undefined>();
      const slow = definePlugin({
        name: "slow",
        summary: "Takes its time.",
        admission: [{ name: "Slow", resources: [configMaps], refuse: () => mayGoOn.promise }],
      });
      await served(flags, async (server) => {
        const inFlight = server.client.ask(path, { method: "POST", body: { metadata: { name: "a" } } });
        await holdsItsPlace(server);
        const closed = server.running.close();
        await use(server);
        mayGoOn.resolve(undefined);
        assert.equal((await inFlight).status, 201, "what was on its way is answered");
        await closed;
      }, [...plugins, slow]);
    };
    await whileSlow(["--shutdown-send-retry-after"], async ({ client }) => {
      await until(async () => {
        const { status, headers, text } = await client.ask(path);
        assert.deepEqual([status, headers["retry-after"], headers["connection"]], [429, "5", "close"]);
        assert.equal(text, "The apiserver is shutting down, please try again later.\n");
      });
      assert.equal((await client.ask("/readyz")).status, 500);
      assert.match(
        (await client.ask("/metrics")).text,
        /^apiserver_request_terminations_total\{code="429".*resource="configmaps".*\} [1-9]/m,
      );
    });
    await whileSlow(
      [],
      ({ port, ca }) => until(() => assert.rejects(httpsClient({ port, ca }).ask("/version"), "nothing new is accepted")),
    );
  },
  "shutdown-watch-termination-grace-period": () =>
    served(["--shutdown-watch-termination-grace-period=3s"], async ({ client, running }) => {
      const watches = await Promise.all(Array.from({ length: 24 }, () => client.stream(`${path}?watch=1&resourceVersion=0`)));
      const order: number[] = [];
      const ended = watches.map(async ({ chunks }, index) => {
        for await (const _ of chunks);
        order.push(index);
      });
      const closed = running.close();
      await Promise.race(ended);
      await new Promise((resolve) => setImmediate(resolve));
      assert.ok(order.length < watches.length, "some are still open when the first has ended");
      await Promise.all(ended);
      await closed;
    }),
  "show-hidden-metrics-for-version": async () => {
    await served(["--show-hidden-metrics-for-version=1.34"], async (server) => assert.equal(await statusOf(server, "/metrics"), 200));
    await assert.rejects(
      served(["--show-hidden-metrics-for-version=1.33"], () => Promise.resolve()),
      /^ConfigError: --show-hidden-metrics-for-version must be omitted or have the value '1\.34'\. Only the previous minor version is allowed$/,
    );
  },
  "disabled-metrics": async () => {
    await served(["--disabled-metrics=apiserver_request_total,no_such_metric"], async (server) => {
      const { text } = await server.client.ask("/metrics");
      assert.doesNotMatch(text, /apiserver_request_total/);
      assert.match(text, /^apiserver_current_inflight_requests/m);
      assert.match(text, /^disabled_metrics_total 2$/m);
    });
    await assert.rejects(
      served(["--disabled-metrics=not-a-name"], () => Promise.resolve()),
      /--disabled-metrics must be fully qualified metric names matching .*, got "not-a-name"/,
    );
  },
  "allow-metric-labels": async () => {
    await served(["--allow-metric-labels=apiserver_request_total,verb=LIST,GET"], async (server) => {
      await make(server, "a");
      assert.deepEqual([await statusOf(server, path), await statusOf(server, `${path}/a`)], [200, 200]);
      const { text } = await server.client.ask("/metrics");
      const verbs = new Set([...text.matchAll(/^apiserver_request_total\{.*verb="(\w+)"/gm)].map(([, verb]) => verb));
      assert.deepEqual([...verbs].sort(), ["GET", "LIST", "unexpected"]);
      assert.match(text, /^cardinality_enforcement_unexpected_categorizations_total [1-9]/m);
    });
    await assert.rejects(
      served(["--allow-metric-labels=apiserver_request_total=LIST"], () => Promise.resolve()),
      /--allow-metric-labels must have a list of kv pair with format/,
    );
  },
  "allow-metric-labels-manifest": () =>
    inFolder(async (folder) => {
      const file = join(folder, "labels.yaml");
      const scopes = async (server: Served) => {
        await statusOf(server, path);
        const { text } = await server.client.ask("/metrics");
        return text.includes('scope="unexpected"');
      };
      await writeFile(file, '"apiserver_request_total,scope": "cluster"\n');
      await served([`--allow-metric-labels-manifest=${file}`], async (server) => assert.equal(await scopes(server), true));
      await served(
        [`--allow-metric-labels-manifest=${file}`, "--allow-metric-labels=apiserver_request_total,code=200"],
        async (server) => assert.equal(await scopes(server), false, "the flag wins"),
      );
      await writeFile(file, "- a\n");
      await assert.rejects(
        served([`--allow-metric-labels-manifest=${file}`], () => Promise.resolve()),
        /the file ".*labels\.yaml" must hold pairs such as/,
      );
      await assert.rejects(served([`--allow-metric-labels-manifest=${folder}/none`], () => Promise.resolve()), /cannot be read/);
    }),
} satisfies Readonly<Record<string, Proof>>;
