// kubectl create token, describe of accounts and their Secrets, and kubectl with a token, with every installed kubectl.
// In Deno's suite only: what clients are answered does not depend on the runtime; kubectl_test.ts and client-node_test.ts run on both.
import assert from "node:assert/strict";
import type { RealServer } from "../real-server.ts";
import { until } from "../real-server.ts";
import { bad, good, type Kubectl, kubectlFor, kubectlMissing, kubectls } from "./kubectl.ts";
import { againstTheProgram, everySetup } from "./setups.ts";

function claimsOf(token: string): Readonly<Record<string, any>> {
  assert.match(token, /^[\w-]+\.[\w-]+\.[\w-]+\n?$/);
  return JSON.parse(Buffer.from(token.split(".")[1]!, "base64url").toString());
}

async function createsTokens(kubectl: Kubectl): Promise<void> {
  assert.match(await good(kubectl, "create serviceaccount robot"), /serviceaccount\/robot created/);
  assert.match(await good(kubectl, "create secret generic anchor"), /secret\/anchor created/);
  const plain = claimsOf(await good(kubectl, "create token robot"));
  assert.deepEqual([plain["sub"], plain["exp"] - plain["iat"], plain["aud"]], [
    "system:serviceaccount:default:robot",
    3600,
    ["https://kubernetes.default.svc"],
  ]);
  const all = claimsOf(
    await good(kubectl, "create token robot --duration=2h --audience=a --audience=b --bound-object-kind=Secret --bound-object-name=anchor"),
  );
  assert.deepEqual([all["exp"] - all["iat"], all["aud"], all["kubernetes.io"].secret.name], [7200, ["a", "b"], "anchor"]);
  assert.match(await bad(kubectl, "create token nobody"), /serviceaccounts "nobody" not found/);
  assert.match(await bad(kubectl, "create token robot --duration=1m"), /may not specify a duration less than 10 minutes/);
  assert.match(await bad(kubectl, "create token robot --bound-object-kind=Secret --bound-object-name=none"), /secrets "none" not found/);
  assert.match(await good(kubectl, "create token robot -o yaml"), /kind: TokenRequest/);
}

async function usesTokens(kubectl: Kubectl): Promise<void> {
  const token = (await good(kubectl, "create token robot")).trim();
  // The certificate in the kubeconfig precedes the token; an empty one removes it.
  const robot = (words: string, as = token) => kubectl(["--user=nobody", `--token=${as}`, ...words.split(" ")]);
  await good(kubectl, ["config", "set-credentials", "nobody"]);
  await good(kubectl, ["config", "set-context", "robot", "--cluster=kubernetes", "--user=nobody"]);
  assert.match((await robot("get secrets")).errors, /User "system:serviceaccount:default:robot" cannot list resource "secrets"/);
  assert.match((await robot("get secrets", `${token}x`)).errors, /Unauthorized|must be logged in/);
  assert.match(await good(kubectl, "delete serviceaccount robot"), /serviceaccount "robot" deleted/);
  assert.match((await robot("get secrets")).errors, /Unauthorized|must be logged in/);
}

async function keepsLegacyTokens(kubectl: Kubectl): Promise<void> {
  await good(kubectl, "create serviceaccount old");
  const body = {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "old-token", annotations: { "kubernetes.io/service-account.name": "old" } },
    type: "kubernetes.io/service-account-token",
  };
  await good(kubectl, "create -f -", JSON.stringify(body));
  await until(async () => assert.match(await good(kubectl, "describe secret old-token"), /token: +eyJ/));
  assert.match(await good(kubectl, "describe serviceaccount old"), /Tokens: +old-token/);
  await good(kubectl, "delete serviceaccount old");
  await until(async () => assert.match(await bad(kubectl, "get secret old-token"), /not found/));
}

const clients = { paths: kubectls(), missing: kubectlMissing() };
againstTheProgram("kubectl makes and uses tokens of service accounts", clients, everySetup, async (path: string, server: RealServer) => {
  const kubectl = kubectlFor(path, server);
  await createsTokens(kubectl);
  await usesTokens(kubectl);
  await keepsLegacyTokens(kubectl);
});
