/** Proofs of the audit flags. */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { SettingName } from "../../server/config/settings.ts";
import { until } from "../real-server.ts";
import { inFolder, path as configMaps, type Proof, type Served, served } from "./served.ts";

const policy = (level: string) =>
  `{"apiVersion":"audit.k8s.io/v1","kind":"Policy","rules":[{"level":"${level}","verbs":["create"],"namespaces":["default"],"resources":[{"resources":["configmaps"]}]}]}`;

/** Creates a ConfigMap of two kilobytes. */
async function make({ client }: Served, name: string): Promise<void> {
  const body = { metadata: { name }, data: { text: "x".repeat(2000) } };
  assert.equal((await client.ask(configMaps, { method: "POST", body })).status, 201);
}

/** Writes a policy that records the creation of ConfigMaps in one namespace without controllers' writes, and starts a server with it. */
async function audited(
  folder: string,
  flags: readonly string[],
  use: (server: Served) => Promise<void>,
  level = "Metadata",
): Promise<void> {
  await writeFile(join(folder, "policy.json"), policy(level));
  await served([`--audit-policy-file=${join(folder, "policy.json")}`, ...flags], use);
}

/** The events of a server during the creation of one ConfigMap. */
async function logged(flags: readonly string[], level?: string): Promise<string> {
  let text = "";
  await inFolder(async (folder) => {
    const path = join(folder, "logs", "audit.log");
    await audited(folder, [`--audit-log-path=${path}`, ...flags], (server) => make(server, "a"), level);
    text = await readFile(path, "utf8");
  });
  return text;
}

/** Runs a server with a log and these files beside it until `wanted` is true for the folder's files. */
function tidied(flags: readonly string[], files: Readonly<Record<string, string>>, wanted: (names: readonly string[]) => boolean): Proof {
  return () =>
    inFolder(async (folder) => {
      const logs = join(folder, "logs");
      await mkdir(logs);
      for (const [name, text] of Object.entries(files)) await writeFile(join(logs, name), text);
      await audited(folder, [`--audit-log-path=${join(logs, "audit.log")}`, ...flags], async (server) => {
        await make(server, "a");
        await until(async () => assert.ok(wanted(await readdir(logs))));
      });
    });
}
const old = "audit-2020-01-01T00-00-00.000.log", older = "audit-2019-01-01T00-00-00.000.log";

/** The start fails with these flags beside a log or a webhook. */
function refused(backend: "log" | "webhook", flags: readonly string[], why: RegExp): Proof {
  return () =>
    inFolder(async (folder) => {
      const used = backend === "log" ? `--audit-log-path=${join(folder, "audit.log")}` : `--audit-webhook-config-file=${join(folder, "k")}`;
      await assert.rejects(audited(folder, [used, ...flags], () => Promise.resolve()), (error: Error) => why.test(error.message));
    });
}
const batch = (backend: "log" | "webhook", name: string, what: string): Proof =>
  refused(
    backend,
    [`--audit-${backend}-mode=batch`, `--audit-${backend}-batch-throttle-enable`, `--audit-${backend}-batch-${name}=0`],
    new RegExp(
      `invalid audit batch ${backend} ${what} 0, must be a positive number`,
    ),
  );

interface Posted {
  readonly items: readonly { readonly auditID: string; readonly requestObject?: unknown; readonly annotations?: Record<string, string> }[];
}
/** Calls `use` with a webhook's kubeconfig, the lists that it received, and the statuses of its first responses. */
async function withWebhook(
  folder: string,
  statuses: number[],
  use: (flag: string, received: readonly Posted[]) => Promise<void>,
): Promise<void> {
  const received: Posted[] = [];
  const server = createServer((request, response) => {
    let text = "";
    request.on("data", (chunk) => text += chunk).on("end", () => {
      received.push(JSON.parse(text));
      response.writeHead(statuses.shift() ?? 200).end("{}");
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  try {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/audit`;
    const path = join(folder, "kubeconfig");
    await writeFile(
      path,
      `{"current-context":"a","contexts":[{"name":"a","context":{"cluster":"c"}}],"clusters":[{"name":"c","cluster":{"server":"${url}"}}]}`,
    );
    await use(`--audit-webhook-config-file=${path}`, received);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

/** A server whose webhook receives the creation of a ConfigMap; `check` gets the lists. */
function posted(
  flags: readonly string[],
  check: (received: readonly Posted[]) => void,
  { level, statuses = [] }: { readonly level?: string; readonly statuses?: number[] } = {},
): Proof {
  return () =>
    inFolder((folder) =>
      withWebhook(folder, statuses, async (flag, received) => {
        await audited(folder, [flag, "--audit-webhook-batch-max-wait=1ms", ...flags], (server) => make(server, "a"), level);
        check(received);
      })
    );
}
const eventsOf = (received: readonly Posted[]) => received.flatMap(({ items }) => items);

const big = ["truncate-enabled", "truncate-max-event-size=1500"];

export const auditing = {
  "audit-policy-file": async () => {
    const lines = (await logged([])).trim().split("\n").map((line) => JSON.parse(line));
    assert.deepEqual(lines.map(({ stage, verb, level }) => [stage, verb, level]), [
      ["RequestReceived", "create", "Metadata"],
      ["ResponseComplete", "create", "Metadata"],
    ]);
    await inFolder(async (folder) => {
      await writeFile(join(folder, "bad"), "kind: Policy");
      await assert.rejects(served([`--audit-policy-file=${join(folder, "bad")}`], () => Promise.resolve()), /loading audit policy file/);
    });
  },
  "audit-log-path": () =>
    inFolder(async (folder) => {
      await audited(folder, [`--audit-log-path=${join(folder, "new", "audit.log")}`], (server) => make(server, "a"));
      assert.equal((await readFile(join(folder, "new", "audit.log"), "utf8")).trim().split("\n").length, 2);
    }),
  "audit-log-format": async () => {
    assert.match(
      await logged(["--audit-log-format=legacy"]),
      /^\S+Z AUDIT: id="[-\da-f]+" stage="RequestReceived" ip="127\.0\.0\.1" method="create"/,
    );
    await refused("log", ["--audit-log-format=xml"], /invalid audit log format xml, allowed formats are "legacy,json"/)({ skip() {} });
  },
  "audit-log-maxage": tidied(
    ["--audit-log-maxage=1", "--audit-log-maxbackup=0"],
    { [old]: "x", other: "y" },
    (names) => !names.includes(old) && names.includes("other"),
  ),
  "audit-log-maxbackup": tidied(
    ["--audit-log-maxage=0", "--audit-log-maxbackup=1"],
    { [old]: "x", [older]: "y" },
    (names) => names.includes(old) && !names.includes(older),
  ),
  "audit-log-maxsize": tidied(
    ["--audit-log-maxsize=1"],
    { "audit.log": `${"x".repeat(1024 * 1024 - 10)}\n` },
    (names) => names.filter((name) => /^audit-.*\.log$/.test(name)).length === 1,
  ),
  "audit-log-compress": tidied(
    ["--audit-log-compress", "--audit-log-maxage=0"],
    { [old]: "x" },
    (names) => names.includes(`${old}.gz`) && !names.includes(old),
  ),
  "audit-log-mode": (context) =>
    inFolder(async (folder) => {
      // Every write to it fails with ENOSPC.
      if (!existsSync("/dev/full")) return context.skip("no /dev/full on this system");
      const flags = ["--audit-log-path=/dev/full", "--audit-log-maxsize=0"];
      const body = { metadata: { generateName: "a-" } };
      const outcome = async (mode: string) => {
        let shown = "";
        await audited(folder, [...flags, `--audit-log-mode=${mode}`], async ({ client }) => {
          const { status, text } = await client.ask(configMaps, { method: "POST", body });
          await until(async () => {
            const { text } = await client.ask("/metrics");
            assert.match(text, /^apiserver_audit_error_total\{plugin="log"\} [1-9]/m);
            assert.match(text, /^apiserver_audit_event_total [1-9]/m);
            assert.match(text, /^apiserver_audit_level_total\{level="Metadata"\} 1$/m);
            if (mode === "blocking-strict") assert.match(text, /^apiserver_audit_requests_rejected_total 1$/m);
          });
          shown = status === 201 ? "201" : `${status} ${text.trim()}`;
        });
        return shown;
      };
      assert.equal(await outcome("batch"), "201");
      assert.equal(await outcome("blocking"), "201");
      assert.equal(
        await outcome("blocking-strict"),
        '500 Internal Server Error: "/api/v1/namespaces/default/configmaps": failed to store audit event',
      );
      await refused("log", ["--audit-log-mode=fast"], /invalid audit log mode fast, allowed modes are "batch,blocking,blocking-strict"/)(
        context,
      );
    }),
  "audit-log-batch-buffer-size": batch("log", "buffer-size", "buffer size"),
  "audit-log-batch-max-size": batch("log", "max-size", "max batch size"),
  "audit-log-batch-max-wait": async () => {
    // Shutdown does not wait for it.
    const flags = ["--audit-log-mode=batch", "--audit-log-batch-max-size=10", "--audit-log-batch-max-wait=1h"];
    assert.equal((await logged(flags)).trim().split("\n").length, 2);
  },
  "audit-log-batch-throttle-enable": batch("log", "throttle-qps", "throttle QPS"),
  "audit-log-batch-throttle-qps": batch("log", "throttle-qps", "throttle QPS"),
  "audit-log-batch-throttle-burst": refused(
    "log",
    ["--audit-log-mode=batch", "--audit-log-batch-throttle-enable", "--audit-log-batch-throttle-qps=1"],
    /invalid audit batch log throttle burst 0, must be a positive number/,
  ),
  "audit-log-truncate-enabled": async () => {
    assert.match(await logged([], "Request"), /"requestObject":\{"kind":"ConfigMap"/);
    const cut = await logged(["--audit-log-truncate-enabled", "--audit-log-truncate-max-event-size=1500"], "Request");
    assert.doesNotMatch(cut, /"requestObject"/);
    assert.match(cut, /"audit\.k8s\.io\/truncated":"true"/);
  },
  "audit-log-truncate-max-event-size": async () => {
    assert.equal(await logged(["--audit-log-truncate-enabled", "--audit-log-truncate-max-event-size=100"]), "");
  },
  "audit-log-truncate-max-batch-size": refused(
    "log",
    ["--audit-log-truncate-max-batch-size=10"],
    /invalid audit truncate log max batch size 10, must be greater than max event size \(102400\)/,
  ),
  "audit-log-version": refused("log", ["--audit-log-version=audit.k8s.io/v1beta1"], /invalid group version, allowed versions are/),
  "audit-webhook-config-file": posted([], (received) => assert.equal(eventsOf(received).length, 2)),
  "audit-webhook-initial-backoff": posted(["--audit-webhook-initial-backoff=1ms", "--audit-webhook-mode=blocking"], (received) => {
    const [first, again] = received;
    assert.deepEqual(again, first);
    assert.equal(received.length, 3);
  }, { statuses: [400] }),
  "audit-webhook-mode": async (context) => {
    const isOneByOne = (received: readonly Posted[]) => assert.deepEqual(received.map(({ items }) => items.length), [1, 1]);
    await posted(["--audit-webhook-mode=blocking"], isOneByOne)(context);
    await posted(["--audit-webhook-mode=batch", "--audit-webhook-batch-max-wait=1h"], (received) => {
      assert.deepEqual(received.map(({ items }) => items.length), [2]);
    })(context);
  },
  "audit-webhook-batch-buffer-size": batch("webhook", "buffer-size", "buffer size"),
  "audit-webhook-batch-max-size": posted(["--audit-webhook-batch-max-size=1"], (received) => {
    assert.deepEqual(received.map(({ items }) => items.length), [1, 1]);
  }),
  "audit-webhook-batch-max-wait": posted(["--audit-webhook-batch-max-wait=1h"], (received) => {
    assert.deepEqual(received.map(({ items }) => items.length), [2]);
  }),
  "audit-webhook-batch-throttle-enable": posted(
    ["--audit-webhook-batch-throttle-enable=false", "--audit-webhook-batch-throttle-qps=0"],
    (received) => assert.equal(eventsOf(received).length, 2),
  ),
  "audit-webhook-batch-throttle-qps": batch("webhook", "throttle-qps", "throttle QPS"),
  "audit-webhook-batch-throttle-burst": batch("webhook", "throttle-burst", "throttle burst"),
  "audit-webhook-truncate-enabled": posted(big.map((flag) => `--audit-webhook-${flag}`), (received) => {
    const last = eventsOf(received).at(-1);
    assert.equal(last?.annotations?.["audit.k8s.io/truncated"], "true");
    assert.equal(last?.requestObject, undefined);
  }, { level: "RequestResponse" }),
  "audit-webhook-truncate-max-event-size": posted(
    ["--audit-webhook-truncate-enabled", "--audit-webhook-truncate-max-event-size=100"],
    (received) => assert.deepEqual(received, []),
  ),
  "audit-webhook-truncate-max-batch-size": refused(
    "webhook",
    ["--audit-webhook-truncate-max-batch-size=10"],
    /invalid audit truncate webhook max batch size 10, must be greater than max event size \(102400\)/,
  ),
  "audit-webhook-version": refused("webhook", ["--audit-webhook-version=v1"], /invalid group version, allowed versions are/),
} satisfies { readonly [Name in SettingName]?: Proof };

/** A non-default value for each of these settings. */
export const otherAudit: Readonly<Record<keyof typeof auditing, string>> = {
  "audit-policy-file": "policy.yaml",
  "audit-log-path": "/elsewhere/audit.log",
  "audit-log-format": "legacy",
  "audit-log-maxage": "7",
  "audit-log-maxbackup": "7",
  "audit-log-maxsize": "7",
  "audit-log-compress": "true",
  "audit-log-mode": "batch",
  "audit-log-batch-buffer-size": "7",
  "audit-log-batch-max-size": "7",
  "audit-log-batch-max-wait": "7s",
  "audit-log-batch-throttle-enable": "true",
  "audit-log-batch-throttle-qps": "7",
  "audit-log-batch-throttle-burst": "7",
  "audit-log-truncate-enabled": "true",
  "audit-log-truncate-max-batch-size": "7",
  "audit-log-truncate-max-event-size": "7",
  "audit-log-version": "audit.k8s.io/v2",
  "audit-webhook-config-file": "webhook.yaml",
  "audit-webhook-initial-backoff": "7s",
  "audit-webhook-mode": "blocking",
  "audit-webhook-batch-buffer-size": "7",
  "audit-webhook-batch-max-size": "7",
  "audit-webhook-batch-max-wait": "7s",
  "audit-webhook-batch-throttle-enable": "false",
  "audit-webhook-batch-throttle-qps": "7",
  "audit-webhook-batch-throttle-burst": "7",
  "audit-webhook-truncate-enabled": "true",
  "audit-webhook-truncate-max-batch-size": "7",
  "audit-webhook-truncate-max-event-size": "7",
  "audit-webhook-version": "audit.k8s.io/v2",
};
