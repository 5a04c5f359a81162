// In Deno's suite only: the checks use nothing of the runtime.
import assert from "node:assert/strict";
import { test } from "node:test";
import { PeerError, type PeerRequest } from "../../core/connect.ts";
import { defaultNames } from "../../core/names.ts";
import { StatusError } from "../../core/status-error.ts";
import { fakeApi } from "../../testing.ts";
import type { SettingOf } from "../../toolbox.ts";
import { findingOf } from "./finding.ts";

const remote = {
  kind: "APIService",
  apiVersion: "apiregistration.k8s.io/v1",
  metadata: { name: "v1.example.com" },
  spec: {
    group: "example.com",
    version: "v1",
    groupPriorityMinimum: 1,
    versionPriority: 1,
    service: { namespace: "ns", name: "web", port: 443 },
  },
  status: {},
};
const service = { spec: { clusterIP: "10.0.0.1", ports: [{ port: 443, name: "https" }] } };
const slice = { endpoints: [{ addresses: ["10.1.0.1"] }], ports: [{ name: "https", port: 8443 }] };

/** The defaults of the settings that are read. */
const noSettings = ((
  { name }: { readonly name: string },
) => ({ "webhook-addresses": new Map(), "enable-aggregator-routing": false }[name] ?? "")) as SettingOf; // of the kinds of these
/** A world with a service, its endpoint slices, and the status of its answer. */
function world(
  found: object | StatusError | undefined,
  slices: readonly object[] | StatusError = [slice],
  answer: number | PeerError = 200,
) {
  const asked: PeerRequest[] = [];
  const orThrow = (value: unknown): any => { // `any`: objects as an API has them
    if (value instanceof Error) throw value;
    return value;
  };
  return {
    asked,
    names: defaultNames,
    setting: noSettings,
    api: fakeApi({
      get: async () => orThrow(found ?? new StatusError("NotFound", "services not found")),
      list: async () => orThrow(slices instanceof Error ? slices : { metadata: {}, items: slices }),
    }),
    peers: {
      recoded: (body: AsyncIterable<Uint8Array>) => body,
      addressesOf: async () => [],
      async ask(request: PeerRequest) {
        asked.push(request);
        return { status: orThrow(answer), headers: {}, body: (async function* () {})() };
      },
    },
  };
}
const never = new AbortController().signal;
const findingIn = async (...parts: Parameters<typeof world>) => Object.values(await findingOf(world(...parts), remote, never)).join(" | ");

test("findingOf() names the first thing that a service lacks, in upstream's words", async () => {
  const forbidden = new StatusError("Forbidden", "no");
  assert.equal(await findingIn(undefined), 'False | ServiceNotFound | service/web in "ns" is not present');
  assert.equal(await findingIn(forbidden), 'Unknown | ServiceAccessError | service/web in "ns" cannot be checked due to: no');
  assert.equal(
    await findingIn({ spec: { ...service.spec, ports: [{ port: 80 }] } }),
    'False | ServicePortError | service/web in "ns" is not listening on port 443',
  );
  assert.equal(await findingIn(service, forbidden), 'Unknown | EndpointsAccessError | service/web in "ns" cannot be checked due to: no');
  assert.equal(await findingIn(service, []), 'False | EndpointsNotFound | cannot find endpointslices for service/web in "ns"');
  const missing = 'False | MissingEndpoints | endpointslices for service/web in "ns" have no addresses with port name "https"';
  assert.equal(await findingIn(service, [{ ...slice, ports: [{ name: "http", port: 80 }] }]), missing);
  assert.equal(await findingIn(service, [{ ...slice, endpoints: [{ addresses: ["10.1.0.1"], conditions: { ready: false } }] }]), missing);
});

test("findingOf() asks the service for its group version, and one success of five requests is enough", async () => {
  const healthy = world(service);
  assert.deepEqual(await findingOf(healthy, remote, never), { status: "True", reason: "Passed", message: "all checks passed" });
  assert.equal(healthy.asked.length, 5);
  const [{ url, access, headers } = assert.fail()] = healthy.asked;
  assert.equal(url, "https://10.0.0.1:443/apis/example.com/v1");
  assert.deepEqual(access, { keeps: true, verify: { ca: "", serverName: "web.ns.svc" } });
  assert.deepEqual([headers["x-remote-user"], headers["x-remote-group"]], ["system:kube-aggregator", ["system:masters"]]);
  const url443 = "https://10.0.0.1:443/apis/example.com/v1",
    failed = `False | FailedDiscoveryCheck | failing or missing response from ${url443}:`;
  assert.equal(await findingIn(service, [slice], 500), `${failed} bad status from ${url443}: 500`);
  assert.equal(await findingIn(service, [slice], 302), `${failed} bad status from ${url443}: 302`);
  assert.equal(await findingIn(service, [slice], new PeerError("refused")), `${failed} Get "${url443}": refused`);
});

test("findingOf() looks at no endpoints of a service with an external name", async () => {
  const outside = world({ spec: { type: "ExternalName", externalName: "api.example.net" } }, new StatusError("Forbidden", "no"));
  assert.equal((await findingOf(outside, remote, never)).reason, "Passed");
  assert.equal(outside.asked[0]!.url, "https://api.example.net:443/apis/example.com/v1");
});
