/** A server of an API for tests, and its registration. */
import assert from "node:assert/strict";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { Client } from "../https.ts";
import { until } from "../real-server.ts";
import { type FakeKubelet, fakeKubelet } from "../connections/fake-kubelet.ts";

/** The group that such a server has in a version. */
export const group = "remote.example";

/** A server with a certificate for the service `default/<name>`. It describes each version of the group; `answer` answers everything else. */
export async function backend(
  name: string,
  answer: (request: IncomingMessage, response: ServerResponse) => void,
  upgrade?: (request: IncomingMessage, socket: Duplex, head: Uint8Array) => void,
): Promise<FakeKubelet> {
  const described = (request: IncomingMessage, response: ServerResponse): void => {
    const [, prefix, itsGroup, version, more] = (request.url ?? "").split("/");
    if (prefix !== "apis" || itsGroup !== group || more !== undefined) return answer(request, response);
    const list = { kind: "APIResourceList", apiVersion: "v1", groupVersion: `${group}/${version}`, resources: [] };
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(list));
  };
  return await fakeKubelet(described, upgrade, [`${name}.default.svc`]);
}

/** Registers a server for a version: a service by name of the machine itself, and the APIService. `more`: further fields of its specification. */
export async function register(client: Client, name: string, version: string, port: number, more: object, of = group): Promise<void> {
  const create = async (path: string, body: unknown) => {
    const { status, text } = await client.ask(path, { method: "POST", body });
    assert.equal(status, 201, text);
  };
  await create("/api/v1/namespaces/default/services", {
    metadata: { name },
    spec: { type: "ExternalName", externalName: "localhost" },
  });
  await create("/apis/apiregistration.k8s.io/v1/apiservices", {
    metadata: { name: `${version}.${of}` },
    spec: { group: of, version, groupPriorityMinimum: 100, versionPriority: 10, service: { namespace: "default", name, port }, ...more },
  });
}

/** Waits until the condition Available of a version has this reason. */
export async function untilReason(client: Client, version: string, reason: string, of = group): Promise<void> {
  await until(async () => {
    const { status } = (await client.ask(`/apis/apiregistration.k8s.io/v1/apiservices/${version}.${of}`)).json();
    const condition = status?.conditions?.find(({ type }: { readonly type: string }) => type === "Available");
    assert.equal(condition?.reason, reason, condition?.message);
  });
}
