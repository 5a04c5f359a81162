// Every group version and every resource is switched off and on again, at the start and by reload: the server stays healthy, and a
// controller runs exactly while the resources that it needs are served.
// In Deno's suite only: what is served after a reload does not depend on the runtime.
import assert from "node:assert/strict";
import { test } from "node:test";
import { pluralOf } from "../../core/define/define.ts";
import { defaultNames, spell } from "../../core/names.ts";
import { withDefaults } from "../../server/config/parse.ts";
import type { Config } from "../../server/config/settings.ts";
import { controllerStates } from "../../server/background/controllers.ts";
import { compareReleases, serverRelease } from "../../core/releases.ts";
import { handle } from "../../kernel/handle.ts";
import { localApi } from "../../server/background/local-api.ts";
import { jsonLog } from "../../kernel/observe/log.ts";
import { type Opened, openServer } from "../../server/startup/open-server.ts";
import { plugins as builtIn } from "../../plugins/mod.ts";
import { startSkipped, until } from "../real-server.ts";

/** Without the simulated cluster, which follows most kinds. No preset has it. */
const plugins = builtIn.filter(({ presets }) => presets?.length !== 0);
/** Versions by resource, without removed ones. */
const versions = plugins.flatMap((plugin) => plugin.resources ?? []).map((resource) => ({
  plural: resource.plural ?? pluralOf(resource.kind),
  groupVersions: Object.entries(resource.served)
    .filter(([, { removed }]) => removed === undefined || compareReleases(removed, serverRelease) >= 0)
    .map(([groupVersion]) => spell(defaultNames, groupVersion)),
}));
const groupVersions = [...new Set(versions.flatMap((each) => each.groupVersions))];
const single = versions.flatMap(({ plural, groupVersions }) => groupVersions.map((each) => `${each}/${plural}`));

function settings(off: readonly string[]): Config {
  return withDefaults({
    "data-dir": ":memory:",
    "feature-gates": { StorageVersionMigrator: true },
    "runtime-config": { "api/all": true, ...Object.fromEntries(off.map((each) => [each, false])) },
  });
}

interface Logged {
  readonly level: string;
  readonly message: string;
  readonly controllers: readonly string[];
}

/** A server whose configuration `configure` reloads. */
async function start(off: readonly string[]) {
  const logged: Logged[] = [];
  let current = { config: settings(off), plugins, text: off.join() };
  const opened = await openServer({
    config: current.config,
    plugins,
    log: jsonLog((line) => {
      const { level, message, controllers = [] } = JSON.parse(line);
      logged.push({ level, message, controllers });
    }, Date.now),
    source: { text: current.text, read: () => Promise.resolve(current) },
  });
  await opened.started;
  return {
    opened,
    logged,
    async configure(next: readonly string[]) {
      current = { config: settings(next), plugins, text: next.join() };
      await opened.reload(false);
    },
  };
}

const admin = { name: "admin", groups: ["system:masters"] };

async function statusOf(opened: Opened, url: string): Promise<string> {
  const exchange = {
    method: "GET",
    url,
    headers: {},
    body: () => Promise.resolve(new Uint8Array()),
    peer: undefined,
    remote: "test",
    protocol: "HTTP/2.0" as const,
    signal: new AbortController().signal,
  };
  const server = opened.server;
  const asAdmin = Object.create(server, { authenticate: { value: () => Promise.resolve(admin) } });
  const { status, body } = await handle(exchange, asAdmin);
  return `${status} ${status === 200 ? "" : String(body)}`;
}

/** Asserts health and that the informers of each controller have synced. */
async function assertHealthy(opened: Opened, what: string): Promise<void> {
  for (const path of ["/livez", "/readyz", "/healthz", "/readyz/informer-sync"]) {
    await until(async () => assert.equal(await statusOf(opened, path), "200 ", `${what}: ${path}`), 10_000);
  }
}

const idle = ({ inForce }: Opened) =>
  controllerStates(inForce().catalog).filter(({ lacks }) => lacks.length > 0).map(({ controller }) => controller.name);
const stopped = /^controllers do not run: not served: ./;
const resumed = /^controllers run again/;
const named = (logged: readonly Logged[], pattern: RegExp) =>
  logged.flatMap(({ message, controllers }) => pattern.test(message) ? controllers : []);
/** Errors other than those of health checks, which fail during the start. */
const failures = (logged: readonly { level: string; message: string }[]) =>
  logged.filter(({ level, message }) => level === "error" && !/^(livez|readyz|healthz) fails$/.test(message));

for (const what of [...groupVersions, ...single]) {
  // Catalogs and controllers change in kernel/, on both runtimes alike.
  test(`${what} is disabled at start, then enabled and disabled: the server stays healthy`, { skip: startSkipped("deno") }, async () => {
    const { opened, logged, configure } = await start([what]);
    try {
      await assertHealthy(opened, "off at the start");
      const without = idle(opened);
      assert.deepEqual(named(logged, stopped), without, "logged once");
      await configure([]);
      await assertHealthy(opened, "on");
      assert.deepEqual(idle(opened), []);
      await until(() => assert.deepEqual(named(logged, resumed), without), 10_000);
      await configure([what]);
      await assertHealthy(opened, "off");
      assert.deepEqual(idle(opened), without);
      await until(() => assert.deepEqual(named(logged, stopped), [...without, ...without]), 10_000);
      assert.deepEqual(failures(logged), []);
    } finally {
      await opened.close();
    }
  });
}

test("a server without any served resource is healthy", async () => {
  const { opened, logged } = await start(groupVersions);
  try {
    await assertHealthy(opened, "nothing");
    assert.equal(named(logged, stopped).length, 15);
    assert.equal(logged.filter(({ message }) => stopped.test(message)).length, 1, "in one line");
    assert.deepEqual(failures(logged), []);
  } finally {
    await opened.close();
  }
});

test("a controller works again when its resources are enabled", async () => {
  const { opened, configure } = await start(["v1/serviceaccounts"]);
  try {
    const api = localApi(opened.server, admin);
    await assert.rejects(api.get("v1", "serviceaccounts", "default", "default"), /could not find the requested resource/);
    await configure([]);
    await until(async () => assert.equal((await api.get("v1", "serviceaccounts", "default", "default")).kind, "ServiceAccount"), 10_000);
  } finally {
    await opened.close();
  }
});
