/** A fake kube-apiserver in front, on loopback: trust, token reviews and access reviews. */
import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { defaultNames } from "../core/names.ts";
import { openPki } from "../server/listen/pki.ts";
import { receivedBody } from "./received-body.ts";

export interface Cluster {
  /** Its kubeconfig, with a token. */
  readonly kubeconfig: string;
  /** Users by token. */
  readonly users: Map<string, unknown>;
  /** Allows requests by their spec. Those of the server's own controllers are always allowed and not in `asked`. */
  allows: (spec: any) => boolean;
  /** Received requests: path and body. */
  readonly asked: { readonly path: string; readonly body: any }[];
  /** The data of the ConfigMap; undefined: it does not exist. Open watches get the change. */
  publish(data: Readonly<Record<string, string>> | undefined): void;
  /** The status of every response, replacing the usual ones. */
  failsWith: number | undefined;
  close(): Promise<void>;
}

/** Whether the user is one of the server's own controllers. */
function isOwn(user: string): boolean {
  return user === "system:kube-controller-manager" || user.startsWith("system:serviceaccount:kube-system:");
}

const secret = "credential-of-the-server";
const configMapPath = "/api/v1/namespaces/kube-system/configmaps";

export async function openCluster(published?: Readonly<Record<string, string>>): Promise<Cluster> {
  const pki = await openPki({ directory: undefined, bindAddress: "127.0.0.1", names: defaultNames, now: Date.now(), replaced() {} });
  const watches = new Set<ServerResponse>();
  let data = published;
  const configMap = () => ({ kind: "ConfigMap", apiVersion: "v1", metadata: { name: "extension-apiserver-authentication" }, data });
  const statusOf = (path: string, { spec }: any): object => {
    if (!path.includes("tokenreviews")) return { allowed: isOwn(spec.user) || cluster.allows(spec) };
    const user = cluster.users.get(spec.token);
    return user === undefined ? { error: "unknown token" } : { authenticated: true, user };
  };
  const server = createServer({ cert: pki.serving.cert, key: pki.serving.key }, async (request, response) => {
    const text = await receivedBody(request);
    if (text === undefined) return;
    const path = request.url ?? "", json = { "content-type": "application/json" };
    const body = text === "" ? undefined : JSON.parse(text); // Sent by our own server.
    const own = isOwn(body?.spec?.user ?? "");
    if (!own) cluster.asked.push({ path, body });
    const failure = request.headers.authorization === `Bearer ${secret}` ? cluster.failsWith : 401;
    if (failure !== undefined) return void response.writeHead(failure, json).end('{"kind":"Status","message":"refused"}');
    if (path === `${configMapPath}/extension-apiserver-authentication`) {
      return void response.writeHead(data === undefined ? 404 : 200, json).end(JSON.stringify(configMap()));
    }
    if (path.startsWith(`${configMapPath}?`) && !path.includes("watch=1")) {
      const items = data === undefined ? [] : [configMap()];
      return void response.writeHead(200, json).end(JSON.stringify({ metadata: { resourceVersion: "1" }, items }));
    }
    if (path.startsWith(`${configMapPath}?`)) {
      response.writeHead(200, json);
      response.flushHeaders();
      watches.add(response);
      response.on("close", () => watches.delete(response));
      if (data !== undefined) response.write(`${JSON.stringify({ type: "ADDED", object: configMap() })}\n`);
      return;
    }
    const { kind, apiVersion, spec } = body;
    response.writeHead(201, json).end(JSON.stringify({ kind, apiVersion, spec, status: statusOf(path, body) }));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`; // A TCP server.
  const cluster: Cluster = {
    kubeconfig: JSON.stringify({
      "current-context": "front",
      contexts: [{ name: "front", context: { cluster: "front", user: "thole" } }],
      clusters: [{ name: "front", cluster: { server: url, "certificate-authority-data": btoa(pki.ca.cert) } }],
      users: [{ name: "thole", user: { token: secret } }],
    }),
    users: new Map(),
    allows: () => false,
    asked: [],
    failsWith: undefined,
    publish(next) {
      data = next;
      const event = JSON.stringify({ type: next === undefined ? "DELETED" : "MODIFIED", object: configMap() });
      for (const response of watches) response.write(`${event}\n`);
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
  return cluster;
}
