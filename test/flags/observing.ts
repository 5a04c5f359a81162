/** Proofs of the flags that say what a server tells of itself, and how it goes down. */
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { inFolder, make, path, type Proof, type Served, served, statusOf } from "./served.ts";

export const observing = {
  "show-hidden-metrics-for-version": async () => {
    await served(["--show-hidden-metrics-for-version=1.34"], async (server) => assert.equal(await statusOf(server, "/metrics"), 200));
    await assert.rejects(
      served(["--show-hidden-metrics-for-version=1.33"], () => Promise.resolve()),
      /^ConfigError: --show-hidden-metrics-for-version must be omitted or have the value '1\.34'\. Only the previous minor version is allowed$/,
    );
  },
  "disabled-metrics": async () => {
    await served(["--disabled-metrics=apiserver_request_total,no_such_metric"], async (server) => {
      const { text } = await server.client.ask("/metrics");
      assert.doesNotMatch(text, /apiserver_request_total/);
      assert.match(text, /^apiserver_current_inflight_requests/m);
      assert.match(text, /^disabled_metrics_total 2$/m);
    });
    await assert.rejects(
      served(["--disabled-metrics=not-a-name"], () => Promise.resolve()),
      /--disabled-metrics must be fully qualified metric names matching .*, got "not-a-name"/,
    );
  },
  "allow-metric-labels": async () => {
    await served(["--allow-metric-labels=apiserver_request_total,verb=LIST,GET"], async (server) => {
      await make(server, "a");
      assert.deepEqual([await statusOf(server, path), await statusOf(server, `${path}/a`)], [200, 200]);
      const { text } = await server.client.ask("/metrics");
      const verbs = new Set([...text.matchAll(/^apiserver_request_total\{.*verb="(\w+)"/gm)].map(([, verb]) => verb));
      assert.deepEqual([...verbs].sort(), ["GET", "LIST", "unexpected"]);
      assert.match(text, /^cardinality_enforcement_unexpected_categorizations_total [1-9]/m);
    });
    await assert.rejects(
      served(["--allow-metric-labels=apiserver_request_total=LIST"], () => Promise.resolve()),
      /--allow-metric-labels must have a list of kv pair with format/,
    );
  },
  "allow-metric-labels-manifest": () =>
    inFolder(async (folder) => {
      const file = join(folder, "labels.yaml");
      const scopes = async (server: Served) => {
        await statusOf(server, path);
        const { text } = await server.client.ask("/metrics");
        return text.includes('scope="unexpected"');
      };
      await writeFile(file, '"apiserver_request_total,scope": "cluster"\n');
      await served([`--allow-metric-labels-manifest=${file}`], async (server) => assert.equal(await scopes(server), true));
      await served(
        [`--allow-metric-labels-manifest=${file}`, "--allow-metric-labels=apiserver_request_total,code=200"],
        async (server) => assert.equal(await scopes(server), false, "the flag wins"),
      );
      await writeFile(file, "- a\n");
      await assert.rejects(
        served([`--allow-metric-labels-manifest=${file}`], () => Promise.resolve()),
        /the file ".*labels\.yaml" must hold pairs such as/,
      );
      await assert.rejects(served([`--allow-metric-labels-manifest=${folder}/none`], () => Promise.resolve()), /cannot be read/);
    }),
} satisfies Readonly<Record<string, Proof>>;
