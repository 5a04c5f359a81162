import assert from "node:assert/strict";
import { test } from "node:test";
import { defaultNames } from "../../core/names.ts";
import { StatusError } from "../../core/status-error.ts";
import { fakeApi } from "../../testing/fakes.ts";
import type { ApiObject } from "../../plugin.ts";
import type { SettingOf } from "../../toolbox.ts";
import { accessOf, originOf, rememberedPlaces, targetOf } from "./resolve.ts";

const target = { namespace: "shop", name: "api", port: 8443 };

/** The origin of the target: with this service, these slices and these settings. */
async function origin(
  spec: object | undefined,
  slices: readonly object[] = [],
  settings: Readonly<Record<string, unknown>> = {},
): Promise<string> {
  const api = fakeApi({
    get: (version, resource, namespace, name) =>
      spec === undefined
        ? Promise.reject(new StatusError("NotFound", "none"))
        : Promise.resolve(objectOf(spec, [version, resource, namespace, name])),
    list: (version, resource, namespace, query) => {
      assert.deepEqual([version, resource, namespace, query], [
        "discovery.{domain}/v1",
        "endpointslices",
        "shop",
        { labelSelector: "kubernetes.io/service-name=api" },
      ]);
      return Promise.resolve({ metadata: { resourceVersion: "1" }, items: slices as ApiObject[] });
    },
  });
  return await originOf(api, defaultNames, target, settingsOf(settings));
}
/** A service. `place`: where it is read. */
function objectOf(spec: object, place: readonly string[] = ["v1", "services", "shop", "api"]): ApiObject {
  assert.deepEqual(place, ["v1", "services", "shop", "api"]);
  return { apiVersion: "v1", kind: "Service", metadata: {}, spec } as ApiObject; // with a specification
}
function settingsOf(settings: Readonly<Record<string, unknown>>): SettingOf {
  const all: Readonly<Record<string, unknown>> = {
    "webhook-addresses": new Map(),
    "enable-aggregator-routing": false,
    "proxy-client-cert-file": "",
    ...settings,
  };
  return (({ name }: { readonly name: string }) => all[name]) as SettingOf; // of the kinds above
}
const ports = [{ port: 443, name: "other" }, { port: 8443, name: "https" }];
const clusterIp = { type: "ClusterIP", clusterIP: "10.96.0.9", ports, ipFamilies: ["IPv4"] };

test("a service is reached at its cluster address, one of another name by that name", async () => {
  assert.equal(await origin(clusterIp), "https://10.96.0.9:8443");
  assert.equal(await origin({ ...clusterIp, type: "NodePort" }), "https://10.96.0.9:8443");
  assert.equal(await origin({ ...clusterIp, type: "LoadBalancer", clusterIP: "fd00::9" }), "https://[fd00::9]:8443");
  assert.equal(await origin({ type: "ExternalName", externalName: "api.example.com" }), "https://api.example.com:8443");
});

test("a service without an address, or without the port, has no origin, in upstream's words", async () => {
  const cases: readonly (readonly [spec: object | undefined, message: string])[] = [
    [undefined, 'service "api" not found'],
    [{ ...clusterIp, clusterIP: "None" }, 'cannot route to service with ClusterIP "None"'],
    [{ ...clusterIp, ports: [{ port: 443 }] }, 'no service port 8443 found for service "api"'],
    [{ ...clusterIp, type: "Other" }, 'unsupported service type "Other"'],
  ];
  for (const [spec, message] of cases) await assert.rejects(origin(spec), { message });
});

const slice = (addressType: string, endpoints: readonly object[], own: object = { name: "https", port: 6443 }) => ({
  ...{ addressType, endpoints },
  ports: [{ name: "other", port: 1 }, own],
});
const routed = { "enable-aggregator-routing": true };

test("with routing a service is reached at a ready endpoint of the port's name, in its first family", async () => {
  const six = slice("IPv6", [{ addresses: ["fd00::1"] }]);
  assert.equal(await origin(clusterIp, [six, slice("IPv4", [{ addresses: ["10.1.0.1", "10.1.0.2"] }])], routed), "https://10.1.0.1:6443");
  const ready = [{ addresses: ["10.1.0.3"], conditions: { ready: false } }, { addresses: ["10.1.0.4"], conditions: { ready: true } }];
  assert.equal(await origin(clusterIp, [slice("IPv4", ready)], routed), "https://10.1.0.4:6443");
  assert.equal(await origin(clusterIp, [slice("IPv4", []), six], routed), "https://[fd00::1]:6443");
  assert.equal(await origin({ ...clusterIp, clusterIP: "None" }, [six], routed), "https://[fd00::1]:6443");
  const none = { message: 'no endpoints available for service "api"' };
  for (
    const slices of [[], [slice("IPv4", [ready[0]!])], [slice("IPv4", [ready[1]!], { name: "https" })], [
      slice("IPv4", ready, { name: "web", port: 1 }),
    ]]
  ) {
    await assert.rejects(origin(clusterIp, slices, routed), none);
  }
  await assert.rejects(origin({ type: "ExternalName", externalName: "a.example" }, [], routed), {
    message: 'unsupported service type "ExternalName"',
  });
});

test("an address of the settings comes first, and no service is read", async () => {
  const given = { "webhook-addresses": new Map([["api.shop.svc:8443", "127.0.0.1:9443"]]) };
  assert.equal(await origin(undefined, [], given), "https://127.0.0.1:9443");
  await assert.rejects(origin(undefined, [], { "webhook-addresses": new Map([["api.shop.svc:443", "127.0.0.1:9443"]]) }));
});

test("a service is read again after a second, and after an error", async () => {
  let now = 0, reads = 0, isThere = true;
  const places = rememberedPlaces(() => now);
  const api = fakeApi({
    get: () => {
      reads++;
      return isThere ? Promise.resolve(objectOf(clusterIp)) : Promise.reject(new Error("down"));
    },
  });
  const ask = () => originOf(api, defaultNames, target, settingsOf({}), places);
  await Promise.all([ask(), ask()]);
  now = 999;
  assert.equal(await ask(), "https://10.96.0.9:8443");
  assert.equal(reads, 1);
  now = 1_000;
  isThere = false;
  await assert.rejects(ask(), /down/);
  isThere = true;
  await ask();
  assert.equal(reads, 3);
});

test("a server is verified by the bundle and for the name of its service, unless it is not verified", () => {
  const spec = {
    group: "g",
    version: "v1",
    groupPriorityMinimum: 1,
    versionPriority: 1,
    service: { namespace: "shop", name: "api", port: 8443 },
  };
  assert.deepEqual(targetOf({ spec }), target);
  assert.equal(targetOf({ spec: { ...spec, service: { namespace: "shop", name: "api" } } })?.port, 443);
  const access = (more: object, settings = {}) => accessOf({ spec: { ...spec, ...more } }, target, settingsOf(settings));
  const serverName = "api.shop.svc";
  assert.deepEqual(access({ caBundle: btoa("PEM") }), { keeps: true, verify: { ca: "PEM", serverName } });
  assert.deepEqual(access({}), { keeps: true, verify: { ca: "", serverName } });
  const identity = { "proxy-client-cert-file": "a.pem", "proxy-client-key-file": "b.pem" };
  assert.deepEqual(access({ insecureSkipTLSVerify: true }, identity), { keeps: true, certFile: "a.pem", keyFile: "b.pem" });
});
