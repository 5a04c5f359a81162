// Proofs of the flags of leader election.
import assert from "node:assert/strict";
import type { SettingName } from "../../server/config/settings.ts";
import { until } from "../real-server.ts";
import { type Proof, type Served, served, statusOf } from "./served.ts";

type Electing = Extract<SettingName, `leader-elect${string}`>;
type WithEtcd = (context: Parameters<Proof>[0], flags: readonly string[], use: (endpoint: string) => Promise<void>) => Promise<void>;

const leases = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases";
const account = "/api/v1/namespaces/default/serviceaccounts/default";

/** The leases of the controllers. A server also has one of its identity. */
async function controllersLeases(server: Served) {
  const { items } = (await server.client.ask(leases)).json();
  return items.filter(({ metadata: { name } }: { readonly metadata: { readonly name: string } }) => !name.startsWith("apiserver-"));
}
/** Resolves when controllers run: one of them creates this. */
function controlled(server: Served): Promise<void> {
  return until(async () => assert.equal(await statusOf(server, account), 200));
}
function refused(flags: readonly string[], why: RegExp): Proof {
  return () => assert.rejects(served(flags, () => Promise.resolve()), why);
}

export function electing(withEtcd: WithEtcd): { readonly [Name in Electing]: Proof } {
  return {
    "leader-elect": (context) =>
      withEtcd(context, [], async (endpoint) => {
        const servers = `--etcd-servers=${endpoint}`;
        await served([servers, "--leader-elect=false"], async (server) => {
          await controlled(server);
          assert.deepEqual(await controllersLeases(server), []);
        });
      }),
    "leader-elect-lease-duration": (context) =>
      withEtcd(context, [], async (endpoint) => {
        const flags = [`--etcd-servers=${endpoint}`, "--leader-elect-lease-duration=7s", "--leader-elect-renew-deadline=5s"];
        await served(flags, async (server) => {
          await controlled(server);
          const [lease] = await controllersLeases(server);
          assert.equal(lease.metadata.name, "thole-controllers");
          assert.equal(lease.spec.leaseDurationSeconds, 7);
          assert.match((await server.client.ask("/metrics")).text, /^leader_election_master_status\{name="thole-controllers"\} 1$/m);
        });
        await served(flags, async (server) => {
          const [lease] = await controllersLeases(server);
          assert.ok(lease.spec.holderIdentity === "" || lease.spec.leaseTransitions > 0, "the first server gave it back");
        });
      }),
    "leader-elect-renew-deadline": refused(
      ["--leader-elect-renew-deadline=15s"],
      /flag "--leader-elect-lease-duration" must be greater than "--leader-elect-renew-deadline"/,
    ),
    "leader-elect-retry-period": refused(["--leader-elect-retry-period=9s"], /greater than 1.2 times "--leader-elect-retry-period"/),
  };
}
