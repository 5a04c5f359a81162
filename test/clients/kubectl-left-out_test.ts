// kubectl's output for kinds of kube-apiserver that are not served: it names the kind, and nothing else.
// In Deno's suite only: what clients are answered does not depend on the runtime; kubectl_test.ts and client-node_test.ts run on both.
import assert from "node:assert/strict";
import { bad, good, type Kubectl, kubectlFor, kubectlMissing, kubectls } from "./kubectl.ts";
import { againstTheProgram, everySetup } from "./setups.ts";

const deployment = JSON.stringify({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "d" },
  spec: {
    selector: { matchLabels: { a: "b" } },
    template: { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i" }] } },
  },
});

async function readsWhatIsEmpty(kubectl: Kubectl): Promise<void> {
  for (const words of ["get secrets", "get pvc -A"]) {
    const { code, output, errors } = await kubectl(words);
    assert.equal(code, 0, `${words}: ${errors}`);
    assert.match(output + errors, /No resources found/);
  }
  await good(kubectl, "get --raw /apis/apiextensions.k8s.io/v1/customresourcedefinitions");
}

async function isRefusedByName(kubectl: Kubectl): Promise<void> {
  const refused: readonly (readonly [words: string, input: string | undefined, text: RegExp])[] = [
    ["create job j --image=y", undefined, /this server does not serve Job \(jobs\.batch\)/],
    ["create deployment x --image=y", undefined, /this server does not serve Deployment \(deployments\.apps\)/],
    ["get --raw /apis/apps/v1/deployments", undefined, /this server does not serve Deployment \(deployments\.apps\)/],
    // kubectl looks up the kind in discovery and stops there.
    ["apply -f -", deployment, /no matches for kind "Deployment" in version "apps\/v1"/],
    ["apply --server-side -f -", deployment, /no matches for kind "Deployment" in version "apps\/v1"/],
  ];
  for (const [words, input, text] of refused) {
    const errors = await bad(kubectl, words, input);
    assert.match(errors, text, words);
    assert.doesNotMatch(errors, /failed to (check|list) CRDs?/, words);
  }
}

againstTheProgram(
  "kubectl and kinds that are left out",
  { paths: kubectls(), missing: kubectlMissing() },
  everySetup.filter(({ store }) => store === "sqlite"),
  async (path, server) => {
    const kubectl = kubectlFor(path, server);
    await readsWhatIsEmpty(kubectl);
    await isRefusedByName(kubectl);
  },
  ["--preset=control-plane"],
);
