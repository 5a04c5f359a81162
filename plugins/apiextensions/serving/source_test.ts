// In Deno's suite only: the result does not depend on the runtime.
import assert from "node:assert/strict";
import { test } from "node:test";
import { defaultNames } from "../../../core/names.ts";
import { fakeApi } from "../../../testing/fakes.ts";
import type { ApiObject } from "../../../plugin.ts";
import { testDefinition } from "../test-definition.ts";
import type { Description } from "./description.ts";
import { definedResources } from "./source.ts";

test("a definition that cannot be described is reported by its name, and the others are followed", async () => {
  const good = testDefinition(), ending = new AbortController();
  const conditions = [{ type: "NamesAccepted", status: "True", reason: "", message: "", lastTransitionTime: "2024-01-02T03:04:05Z" }];
  const named = (name: string): ApiObject => ({
    ...good,
    metadata: { ...good.metadata, name },
    status: { ...good.status, acceptedNames: { plural: "a", singular: "a", kind: "A", listKind: "AList" }, conditions },
  } as ApiObject);
  const bad = { ...named("bads.example.com"), status: undefined } as ApiObject;
  const api = fakeApi({
    async *watch(...[, , , , signal, , synced]) {
      yield* [named("as.example.com"), bad, named("bs.example.com")].map((object) => ({ type: "ADDED" as const, object }));
      synced?.();
      await new Promise((resolve) => signal!.addEventListener("abort", resolve));
    },
  });
  const failures: string[] = [];
  const context = { names: defaultNames, api, failed: (name: string) => void failures.push(name) };
  for await (const descriptions of definedResources.follow(context, ending.signal)) {
    assert.deepEqual(descriptions.map((each: Description) => each.name), ["as.example.com", "bs.example.com"]);
    break;
  }
  ending.abort();
  assert.deepEqual(failures, ["definition bads.example.com"]);
});
