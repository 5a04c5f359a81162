// `kubectl describe` on every kind that can be made: what it asks for besides is there, even where there is none of it.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { runtimeMissing, startRealServer } from "../real-server.ts";
import { merged } from "../validation/rule.ts";
import { serverArgs, tables } from "../validation/tables.ts";
import { good, kubectlFor, kubectlMissing, kubectls } from "./kubectl.ts";

/** By the path of its collection, a valid object of each kind; reviews are not kept. */
const objects = new Map(tables.filter(({ path }) => !path.endsWith("reviews")).map(({ path, valid }) => [path, valid]));
/** Made by the server in every namespace. */
const own = [["/api/v1/namespaces/default/serviceaccounts", "default"]] as const;

/** Older kubectls ask for VolumeAttributesClass in a version that is off by default. */
const args = serverArgs.map((each) => each.startsWith("--runtime-config=") ? `${each},storage.k8s.io/v1beta1=true` : each);

/** `resource.version.group`, as kubectl takes it. */
function fullName(path: string): string {
  const [root, ...rest] = path.split("/").slice(1);
  const resource = rest.at(-1)!; // a path has segments
  return root === "api" ? resource : `${resource}.${rest[1]}.${rest[0]}`;
}

function namespaceOf(path: string): string {
  return /\/namespaces\/([^/]+)\//.exec(path)?.[1] ?? "";
}

describe("kubectl describe tells of every kind", { skip: kubectlMissing() || runtimeMissing("deno") }, () => {
  for (const path of kubectls()) {
    it(path, async () => {
      const server = await startRealServer({ args });
      const kubectl = kubectlFor(path, server);
      try {
        const names = new Map<string, string>(own);
        for (const [collection, valid] of objects) {
          if (names.has(collection)) continue;
          const name = `case-${names.size}`;
          const made = merged({ metadata: { name } }, valid);
          const answer = JSON.parse(await good(kubectl, ["create", "--raw", collection, "-f", "-"], JSON.stringify(made)));
          names.set(collection, answer.metadata.name);
        }
        for (const [collection, name] of names) {
          const said = await good(kubectl, ["describe", fullName(collection), name, `--namespace=${namespaceOf(collection)}`]);
          assert.match(said, new RegExp(`^Name: +${name}$`, "m"), `describe ${fullName(collection)}: ${said}`);
        }
        assert.match(await good(kubectl, "get pods -A"), /^$/);
      } finally {
        await server.close();
      }
    });
  }
});
