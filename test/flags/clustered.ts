/** Proofs of the flags of a kube-apiserver in front that reviews tokens and authorizes. */
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { SettingName } from "../../server/config/settings.ts";
import { issue } from "../../server/listen/testing/clients.ts";
import { type Cluster, openCluster } from "../cluster-in-front.ts";
import { until } from "../real-server.ts";
import { makeProxies, standard, whoIs } from "./proxied.ts";
import { inFolder, path, type Proof, type Served, served, statusOf } from "./served.ts";

const headerNames = Object.freeze({
  "requestheader-allowed-names": '["front-proxy-client"]',
  "requestheader-username-headers": '["X-Remote-User"]',
  "requestheader-uid-headers": '["X-Remote-Uid"]',
  "requestheader-group-headers": '["X-Remote-Group"]',
  "requestheader-extra-headers-prefix": '["X-Remote-Extra-"]',
});

/** A server behind a cluster that publishes `data`; the flags depend on the path of the kubeconfig. */
function behind(
  data: Readonly<Record<string, string>> | undefined,
  flags: (kubeconfig: string) => readonly string[],
  use: (server: Served, cluster: Cluster) => Promise<void>,
  prepare: (cluster: Cluster) => void = () => {},
): Promise<void> {
  return inFolder(async (folder) => {
    const cluster = await openCluster(data), file = join(folder, "front.yaml");
    prepare(cluster);
    try {
      await writeFile(file, cluster.kubeconfig);
      await served(flags(file), (server) => use(server, cluster));
    } finally {
      await cluster.close();
    }
  });
}
const authentication = (file: string) => [`--authentication-kubeconfig=${file}`];
const authorization = (file: string) => [`--authorization-kubeconfig=${file}`];
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

export const clustered = {
  "authentication-kubeconfig": async () => {
    const proxies = makeProxies(), clients = issue({ usage: "ca", commonName: "clients of the cluster" });
    const dora = issue({ usage: "client", commonName: "dora" }, clients);
    const data = { "client-ca-file": clients.cert, "requestheader-client-ca-file": proxies.ca.cert, ...headerNames };
    await behind(data, authentication, async (server, cluster) => {
      const user = async (...args: Parameters<typeof whoIs> extends [unknown, ...infer R] ? R : never) => {
        const found = await whoIs(server, ...args);
        return typeof found === "number" ? found : found.username;
      };
      assert.equal(await user(standard, proxies.proxy), "carol");
      assert.equal(await user({ ...standard, "X-Remote-User": "root" }), 403, "headers without the proxy's certificate are ignored");
      assert.equal(await user(standard, proxies.other), 401, "a certificate of the CA with another name");
      assert.equal(await user({}, dora), "dora");
      cluster.users.set("good", { username: "erin", groups: ["dev"] });
      assert.equal(await user(bearer("good")), "erin");
      assert.equal(await user(bearer("bad")), 401);
      assert.equal(await user(bearer("good")), "erin");
      const reviews = cluster.asked.filter(({ path }) => path === "/apis/authentication.k8s.io/v1/tokenreviews");
      assert.deepEqual(reviews.map(({ body }) => body.spec.token), ["good", "bad"], "answers are remembered");
      assert.equal(await statusOf(server, path), 200, "tokens of the server's own file are not sent there");
      const next = makeProxies();
      cluster.publish({ ...data, "requestheader-client-ca-file": next.ca.cert });
      await until(async () => assert.equal(await user(standard, next.proxy), "carol"));
      assert.equal(await user(standard, proxies.proxy), 401, "the CA before is trusted no more");
      cluster.publish({ ...data, "requestheader-client-ca-file": "no certificate" });
      cluster.publish({ ...data, "requestheader-client-ca-file": next.ca.cert, "requestheader-allowed-names": '["other"]' });
      await until(async () => assert.equal(await user(standard, next.other), "carol"));
      assert.ok(server.logged.every((line) => !line.includes("good") && !line.includes("credential-of-the-server")), "no token is logged");
    });
    await assert.rejects(
      served(authentication("/nowhere/front.yaml"), async () => {}),
      /cannot use the kubeconfig "\/nowhere\/front.yaml"/,
    );
  },
  "authentication-skip-lookup": async () => {
    const proxies = makeProxies();
    const data = { "requestheader-client-ca-file": proxies.ca.cert, ...headerNames };
    await behind(data, (file) => [...authentication(file), "--authentication-skip-lookup"], async (server, cluster) => {
      assert.equal(await whoIs(server, standard, proxies.proxy), 401);
      assert.deepEqual(cluster.asked, []);
    });
  },
  "authentication-tolerate-lookup-failure": async () => {
    const proxies = makeProxies();
    const data = { "requestheader-client-ca-file": proxies.ca.cert, ...headerNames };
    const broken = (cluster: Cluster) => void (cluster.failsWith = 403);
    await assert.rejects(
      behind(data, authentication, async () => {}, broken),
      /extension-apiserver-authentication of the cluster: refused.*role/,
    );
    await behind(data, (file) => [...authentication(file), "--authentication-tolerate-lookup-failure"], async (server, cluster) => {
      assert.equal(await whoIs(server, standard, proxies.proxy), 401, "nothing is trusted");
      cluster.failsWith = undefined;
      await until(async () => assert.notEqual(await whoIs(server, standard, proxies.proxy), 401));
    }, broken);
  },
  "authorization-kubeconfig": async () => {
    await behind(undefined, (file) => [...authentication(file), ...authorization(file)], async (server, cluster) => {
      cluster.users.set("dev", { username: "erin", uid: "7", groups: ["dev"], extra: { scopes: ["a"] } });
      cluster.allows = ({ user, resourceAttributes: { verb, resource, namespace } = {} as any }) =>
        user === "erin" && verb === "list" && resource === "configmaps" && namespace === "default";
      assert.equal(await statusOf(server, path, bearer("dev")), 200);
      assert.equal(await statusOf(server, "/api/v1/namespaces/other/configmaps", bearer("dev")), 403);
      assert.equal(await statusOf(server, "/metrics", bearer("dev")), 403);
      assert.equal(await statusOf(server, path), 200, "members of system:masters are not asked about");
      const reviews = () => cluster.asked.filter(({ path }) => path === "/apis/authorization.k8s.io/v1/subjectaccessreviews");
      assert.deepEqual(reviews()[0]!.body.spec, {
        resourceAttributes: { namespace: "default", verb: "list", version: "v1", resource: "configmaps" },
        user: "erin",
        uid: "7",
        groups: ["dev", "system:authenticated"],
        extra: { scopes: ["a"] },
      });
      const before = reviews().length;
      assert.equal(await statusOf(server, path, bearer("dev")), 200);
      assert.equal(reviews().length, before, "the answer is remembered");
      cluster.failsWith = 403;
      assert.equal(await statusOf(server, "/api/v1/namespaces/third/configmaps", bearer("dev")), 500, "a failure allows nothing");
    });
  },
  "authorization-always-allow-paths": async () => {
    const anonymous = async (server: Served, of: string) => await statusOf(server, of, { authorization: "" });
    await behind(undefined, authorization, async (server) => {
      await until(async () => assert.equal(await anonymous(server, "/livez"), 200));
      assert.equal(await anonymous(server, "/version"), 403);
    });
    const paths = "--authorization-always-allow-paths=/version,/readyz*";
    await behind(undefined, (file) => [...authorization(file), paths], async (server) => {
      const found = [await anonymous(server, "/version"), await anonymous(server, "/readyz/ping"), await anonymous(server, "/livez")];
      assert.deepEqual(found, [200, 200, 403]);
      assert.equal(await anonymous(server, "/api/v1/namespaces/version"), 403, "for paths only, not for resources");
    });
    await assert.rejects(
      behind(undefined, (file) => [...authorization(file), "--authorization-always-allow-paths=/a*b"], async () => {}),
      /only trailing \* allowed in "\/a\*b"/,
    );
  },
} satisfies Partial<Record<SettingName, Proof>>;
