import assert from "node:assert/strict";
import { test } from "node:test";
import { definePlugin } from "../../core/define/define.ts";
import { object } from "../../core/meta/object.ts";
import { field, string, structsOf } from "../../core/schema.ts";
import type { Plugin, Resource, ResourceSource } from "../../core/plugin.ts";
import { StatusError } from "../../core/status-error.ts";
import type { UserInfo } from "../../core/user-info.ts";
import { withDefaults } from "../config/parse.ts";
import { handle } from "../../kernel/handle.ts";
import type { Exchange } from "../../kernel/request/exchange.ts";
import type { Server } from "../../kernel/server.ts";
import { jsonLog, silentLog, verbosityOf } from "../../kernel/observe/log.ts";
import { type Opened, openServer } from "../startup/open-server.ts";
import { localApi } from "./local-api.ts";

interface Description {
  readonly kind: string;
  readonly doc: string;
}

/** A source with the test's descriptions. The value undefined makes it fail. */
function testSource(): { readonly source: ResourceSource<Description>; give(next: readonly Description[] | undefined): void } {
  const given: (readonly Description[] | undefined)[] = [];
  let wake = Promise.withResolvers<void>();
  return {
    source: {
      hook: "things-synced",
      async *follow(_, signal) {
        signal.addEventListener("abort", () => wake.resolve(), { once: true });
        while (!signal.aborted) {
          if (given.length === 0) {
            await wake.promise;
            wake = Promise.withResolvers();
            continue;
          }
          const next = given.shift();
          if (next === undefined) throw new Error("the source has failed");
          yield next;
        }
      },
      resources({ kind, doc }) {
        if (kind === "Thrown") throw new Error("it has no resources");
        const resource = resourceOf(kind, doc);
        // A fault that shows in the catalog only.
        return [kind === "Uncompiled" ? { ...resource, served: { "example.com/v1": undefined as never } } : resource];
      },
    },
    give(next) {
      given.push(next);
      wake.resolve();
    },
  };
}

function resourceOf(kind: string, doc: string): Resource {
  const struct = structsOf("example.com/v1");
  const schema = object(kind, { spec: field(2, struct(`${kind}Spec`, { size: field(1, string, doc) }), "The spec.") }, { doc: "A thing." });
  return {
    kind,
    custom: true,
    scope: "Cluster",
    summary: "A thing.",
    storedAs: "example.com/v1",
    storedUnder: `example.com/${kind.toLowerCase()}s`,
    served: { "example.com/v1": { schema, introduced: "1.0" }, "example.com/v1alpha1": { schema, introduced: "1.0" } },
  };
}

async function opened(
  use: (server: Opened, give: ReturnType<typeof testSource>["give"]) => Promise<void>,
  more: Partial<Plugin> = {},
  log = silentLog,
) {
  const { source, give } = testSource();
  const plugin = definePlugin({ name: "things", summary: "For tests.", resourceSource: source, ...more });
  const server = await openServer({ config: withDefaults({ "data-dir": ":memory:" }), plugins: [plugin], log });
  await use(server, give).finally(() => server.close());
}
async function until(is: () => boolean): Promise<void> {
  for (const end = AbortSignal.timeout(10_000); !is();) {
    end.throwIfAborted();
    await new Promise((resolve) => setImmediate(resolve));
  }
}
const admin: UserInfo = { name: "admin", groups: ["system:masters"] };
const apiOf = (server: Opened) => localApi(server.server, admin);
const exchange: Exchange = {
  method: "GET",
  url: "/",
  headers: {},
  body: () => Promise.resolve(new Uint8Array()),
  peer: undefined,
  remote: "test",
  protocol: "HTTP/2.0",
  signal: new AbortController().signal,
};
const isNotFound = (error: unknown) => error instanceof StatusError && error.reason === "NotFound";

test("resources of a source are served while their description exists, in all of their versions", () =>
  opened(async ({ server, registry: _, ...rest }, give) => {
    const all = { server, registry: _, ...rest };
    const api = apiOf(all);
    give([]);
    await until(server.isComplete);
    await assert.rejects(api.list("example.com/v1", "things", ""), isNotFound);
    const thing = { kind: "Thing", doc: "Its size." };
    give([thing]);
    await server.catalogChanged(AbortSignal.timeout(10_000));
    await all.started;
    const sent = { apiVersion: "example.com/v1", kind: "Thing", metadata: { name: "a" }, spec: { size: "big" } };
    await api.create("example.com/v1", "things", "", sent);
    const { items } = await api.list("example.com/v1alpha1", "things", "");
    assert.deepEqual(items.map(({ metadata: { name } }) => name), ["a"], "alpha versions need no setting");
    give([thing, { kind: "Other", doc: "Another." }]);
    await server.catalogChanged(AbortSignal.timeout(10_000));
    assert.equal((await api.list("example.com/v1", "others", "")).items.length, 0);
    give([]);
    await server.catalogChanged(AbortSignal.timeout(10_000));
    await assert.rejects(api.list("example.com/v1", "things", ""), isNotFound);
  }));

test("requests for unknown groups get 503 until the resources of all sources are served", () =>
  opened(async ({ server }, give) => {
    const ask = async (path: string) => {
      const asAdmin: Server = Object.create(server, { authenticate: { value: () => Promise.resolve(admin) } });
      const { status, headers, body } = await handle({ ...exchange, url: path }, asAdmin);
      return { status, retryAfter: headers["retry-after"], text: String(body) };
    };
    for (const path of ["/apis/example.com/v1/things", "/apis/example.com/v1/things/a", "/apis/example.com", "/apis/example.com/v1"]) {
      const { status, retryAfter, text } = await ask(path), { message, reason, details } = JSON.parse(text);
      assert.deepEqual([status, reason, retryAfter, details], [503, "ServiceUnavailable", "5", { retryAfterSeconds: 5 }], path);
      assert.equal(message, "the request has been made before all known HTTP paths have been installed, please try again");
    }
    assert.equal((await ask("/unknown")).status, 404);
    give([]);
    await until(server.isComplete);
    for (const path of ["/apis/example.com/v1/things", "/apis/example.com", "/apis/example.com/v1"]) {
      assert.deepEqual([(await ask(path)).status, (await ask(path)).text], [404, "404 page not found\n"]);
    }
  }));

test("a failing source is restarted, and its last descriptions stay active", () =>
  opened(async (all, give) => {
    const { server } = all;
    give([{ kind: "Thing", doc: "Its size." }]);
    await server.catalogChanged(AbortSignal.timeout(10_000));
    give(undefined);
    give([{ kind: "Thing", doc: "Its size." }, { kind: "Other", doc: "Another." }]);
    assert.notEqual(server.catalog.endpoint("example.com", "v1", "things"), undefined);
    await server.catalogChanged(AbortSignal.timeout(10_000));
    assert.notEqual(server.catalog.endpoint("example.com", "v1", "others"), undefined);
  }));

test("a description that cannot be served is logged once by its name, and the others are served", () => {
  const lines: string[] = [];
  const log = jsonLog((line) => lines.push(line), Date.now, verbosityOf(0, [], []));
  return opened(
    async ({ server }, give) => {
      for (const others of [["Other"], ["Other", "Later"]]) {
        const all = ["Thing", "Thrown", "Uncompiled", ...others].map((kind) => ({
          name: `${kind.toLowerCase()}s.example.com`,
          kind,
          doc: "",
        }));
        give(all);
        await server.catalogChanged(AbortSignal.timeout(10_000));
        for (const plural of ["things", ...others.map((kind) => `${kind.toLowerCase()}s`)]) {
          assert.notEqual(server.catalog.endpoint("example.com", "v1", plural), undefined, plural);
        }
      }
      for (const name of ["throwns.example.com", "uncompileds.example.com"]) {
        // Those of later rounds are new values, with the same error.
        assert.equal(lines.filter((line) => line.includes(`${name} of plugin things cannot be served`)).length, 1, name);
      }
    },
    {},
    log,
  );
});

test("a resource that conflicts with one of a plugin is not served", () =>
  opened(async ({ server }, give) => {
    const declared = server.catalog.endpoint("example.com", "v1", "things");
    give([{ kind: "Thing", doc: "From a description." }, { kind: "Other", doc: "Another." }]);
    await server.catalogChanged(AbortSignal.timeout(10_000));
    assert.equal(server.catalog.endpoint("example.com", "v1", "things"), declared);
    assert.notEqual(server.catalog.endpoint("example.com", "v1", "others"), undefined);
  }, { resources: [resourceOf("Thing", "From a plugin.")] }));

test("controllers start when the resources of all sources are served, because some delete what they do not find", () => {
  const seen: string[] = [];
  return opened(async ({ server }, give) => {
    assert.equal(server.catalog.endpoint("example.com", "v1", "things"), undefined);
    // Turns in which the controller would start.
    for (let turn = 0; turn < 1000; turn++) await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(seen, []);
    give([{ kind: "Thing", doc: "Its size." }]);
    await until(() => seen.length === 1);
    assert.deepEqual(seen, ["things"]);
  }, {
    controllers: [{
      name: "observer",
      async run({ api }, signal) {
        seen.push(api.collections("list").map(({ resource }) => resource).join());
        await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
      },
    }],
  });
});

test("controllers continue while resources are added, and followCollections() yields each state", () => {
  let runs = 0;
  const seen: string[] = [];
  return opened(
    async (_, give) => {
      give([]);
      await until(() => seen.length === 1);
      give([{ kind: "Thing", doc: "Its size." }]);
      await until(() => seen.length === 2);
      give([]);
      await until(() => seen.length === 3);
      assert.deepEqual(seen, ["", "things", ""]);
      assert.equal(runs, 1);
    },
    {
      controllers: [{
        name: "observer",
        async run({ api }, signal) {
          runs++;
          for await (const collections of api.followCollections("watch", signal)) {
            seen.push(collections.map(({ resource }) => resource).join());
          }
        },
      }],
    },
  );
});
