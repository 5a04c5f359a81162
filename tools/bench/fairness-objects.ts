/** The users and objects of the measurement of fairness. */
import { readFileSync } from "node:fs";
import { openConnection } from "./connection.ts";
import type { Generator } from "./generator.ts";
import { jobFor, type Target } from "./target.ts";

/** Tokens. They are not secret. That of the administrator is also that of the rig of a kube-apiserver. */
export const adminToken = "admin", electionToken = "election";
export const greedyTokens = Object.freeze({ lists: "lister", creates: "creator" });
/** The leader is a user whose elections have a flow schema of their own; each greedy client belongs to another priority level. */
export const tokensFile = `${adminToken},admin,1,system:masters
${electionToken},system:kube-controller-manager,2,
${greedyTokens.lists},lister,3,
${greedyTokens.creates},system:serviceaccount:default:creator,4,"system:serviceaccounts,system:serviceaccounts:default"
`;

const leases = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases", lease = "bench";
export const leasePath = `${leases}/${lease}`;
const secondsMax = 600, seeders = 64;

/** Makes namespaces, rights, the Lease, and the listed objects. */
export async function prepare(
  target: Target,
  generator: Generator,
  { objects, largePath, createdPath }: { readonly objects: number; readonly largePath: string; readonly createdPath: string },
): Promise<void> {
  const { port, ca, token } = target, connection = await openConnection({ port, ca: readFileSync(ca, "utf8") });
  const create = async (path: string, object: object): Promise<void> => {
    const body = JSON.stringify(object);
    const head = `POST ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\n`;
    const { status } = await connection.request(`${head}Content-Length: ${body.length}\r\n\r\n${body}`);
    if (status !== 201 && status !== 409) throw new Error(`A create at ${path} was answered with ${status}`);
  };
  for (const path of [largePath, createdPath]) await create("/api/v1/namespaces", { metadata: { name: path.split("/")[4] } });
  await create("/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", {
    metadata: { name: "bench" },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "cluster-admin" },
    subjects: [{ kind: "User", name: "lister" }, { kind: "ServiceAccount", name: "creator", namespace: "default" }],
  });
  await create(leases, { metadata: { name: lease }, spec: { holderIdentity: "bench", leaseDurationSeconds: 15 } });
  connection.close();
  const job = jobFor(target, { kind: "seed", path: largePath, clients: seeders, objects }, secondsMax, "seed");
  const { requests, failed } = await generator.load({ ...job, count: objects });
  if (failed > 0 || requests < objects) throw new Error(`Of ${requests} ConfigMaps that were made, ${failed} failed`);
}
