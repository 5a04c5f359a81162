import assert from "node:assert/strict";
import { test } from "node:test";
import { systemClock } from "../../core/async.ts";
import { defaultNames } from "../../core/names.ts";
import { type ApiObject, conflictError } from "../../plugin.ts";
import type { AdmissionServer } from "../../toolbox.ts";
import type { Charge } from "./charge.ts";
import { Ledger, type Verdict } from "./ledger.ts";
import type { ResourceQuota } from "./quota-schema.ts";
import { objectOf, quotaOf } from "./test-quota.ts";
import { usageOf } from "./usage.ts";

const usage = usageOf("", "configmaps", { names: defaultNames, gates: () => true, seconds: () => 0 })!;
const chargeOf = (name: string): Charge => ({ usage, next: objectOf(name), prior: undefined, subresource: "" });

/** A store of quotas that several servers write; `memory` of a server is as old as its last `refresh`. */
function unused(): never {
  throw new Error("a ledger does not call it");
}

class Shared {
  readonly quotas = new Map<string, ResourceQuota>();
  updates = 0;

  constructor(...quotas: readonly ResourceQuota[]) {
    for (const quota of quotas) this.quotas.set(quota.metadata.name!, quota);
  }

  used(name: string): string | undefined {
    return this.quotas.get(name)?.status.used?.["configmaps"];
  }

  server(): AdmissionServer & { refresh(): void } {
    let memory = [...this.quotas.values()];
    return {
      refresh: () => memory = [...this.quotas.values()],
      failed: () => assert.fail("nothing fails"),
      recent: () => memory,
      newest: async () => await Promise.resolve([...this.quotas.values()]),
      updateStatus: async (_groupVersion, _resource, object: ApiObject) => {
        await Promise.resolve();
        const { name = "", resourceVersion } = object.metadata, stored = this.quotas.get(name)!;
        if (stored.metadata.resourceVersion !== resourceVersion) {
          throw conflictError({ group: "", name: "resourcequotas" }, name, "it changed");
        }
        this.updates++;
        const metadata = { ...object.metadata, resourceVersion: `${Number(resourceVersion) + 1}` };
        this.quotas.set(name, { ...object, metadata } as ResourceQuota);
        return this.quotas.get(name)!;
      },
      callWebhook: () => Promise.reject(new Error("no webhook is expected to be called")),
      stateOf: (_key, make) => make(),
      clock: systemClock,
      recentObject: unused,
      derived: unused,
      resourceOfKind: unused,
      json: unused,
    };
  }
}

async function chargeMany(ledger: Ledger, server: AdmissionServer, number: number): Promise<readonly Verdict[]> {
  return await Promise.all(Array.from({ length: number }, (_, i) => ledger.charge("shop", chargeOf(`c${i}`), false, server)));
}

test("Ledger.charge() charges writes that wait together by one update", async () => {
  const shared = new Shared(quotaOf("q", { configmaps: "100" }, { configmaps: "0" }));
  const verdicts = await chargeMany(new Ledger(), shared.server(), 60);
  assert.deepEqual(verdicts.filter((each) => each !== undefined), []);
  assert.equal(shared.used("q"), "60");
  assert.ok(shared.updates <= 2, `${shared.updates} updates`);
});

test("Ledger.charge() admits exactly as many writes as fit, over several servers with old memory", async () => {
  const shared = new Shared(quotaOf("q", { configmaps: "50" }, { configmaps: "0" }));
  const servers = [1, 2, 3].map(() => ({ ledger: new Ledger(), server: shared.server() }));
  const verdicts = (await Promise.all(servers.map(({ ledger, server }) => chargeMany(ledger, server, 40)))).flat();
  assert.equal(verdicts.filter((each) => each === undefined).length, 50);
  assert.equal(shared.used("q"), "50");
  assert.match(
    `${verdicts.find((each) => each !== undefined)}`,
    /^exceeded quota: q, requested: configmaps=1, used: configmaps=50, limited: configmaps=50$/,
  );
});

test("Ledger.charge() reads the newest quotas before a rejection", async () => {
  const shared = new Shared(quotaOf("q", { configmaps: "1" }, { configmaps: "1" }));
  const server = shared.server(), ledger = new Ledger();
  const lower = quotaOf("q", { configmaps: "1" }, { configmaps: "0" });
  shared.quotas.set("q", { ...lower, metadata: { ...lower.metadata, resourceVersion: "7" } });
  assert.equal(await ledger.charge("shop", chargeOf("a"), false, server), undefined);
  assert.match(`${await ledger.charge("shop", chargeOf("b"), false, server)}`, /^exceeded quota/);
});

test("Ledger.charge() goes on from its own updates while memory is older", async () => {
  const shared = new Shared(quotaOf("q", { configmaps: "9" }, { configmaps: "0" }));
  const server = shared.server(), ledger = new Ledger();
  for (let i = 0; i < 3; i++) await ledger.charge("shop", chargeOf(`c${i}`), false, server);
  assert.equal(shared.updates, 3);
  server.refresh();
  await ledger.charge("shop", chargeOf("d"), false, server);
  assert.equal(shared.used("q"), "4");
});

test("Ledger.charge() checks a dry run and does not charge it", async () => {
  const shared = new Shared(quotaOf("q", { configmaps: "1" }, { configmaps: "0" }));
  const ledger = new Ledger();
  assert.equal(await ledger.charge("shop", chargeOf("a"), true, shared.server()), undefined);
  assert.equal(shared.used("q"), "0");
  await ledger.charge("shop", chargeOf("a"), false, shared.server());
  assert.match(`${await ledger.charge("shop", chargeOf("b"), true, shared.server())}`, /^exceeded quota/);
});

test("Ledger.charge() rejects with the error of an update that fails, and works afterwards", async () => {
  const shared = new Shared(quotaOf("q", { configmaps: "9" }, { configmaps: "0" })), ledger = new Ledger();
  const broken: AdmissionServer = { ...shared.server(), updateStatus: () => Promise.reject(new Error("no store")) };
  await assert.rejects(ledger.charge("shop", chargeOf("a"), false, broken), /no store/);
  assert.equal(await ledger.charge("shop", chargeOf("a"), false, shared.server()), undefined);
});
