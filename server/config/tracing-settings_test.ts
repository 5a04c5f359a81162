import assert from "node:assert/strict";
import { test } from "node:test";
import { readTracingConfiguration } from "./tracing-settings.ts";

const head = "apiVersion: apiserver.config.k8s.io/v1beta1\nkind: TracingConfiguration\n";
const read = (text: string) => readTracingConfiguration(text, "k8s.io");

test("an empty configuration has upstream's defaults: the local collector, and the requests' own decision", () => {
  assert.deepEqual(read(head), { url: "http://localhost:4317", share: 0 });
});

test("the endpoint is an address with or without a scheme", () => {
  for (
    const [endpoint, url] of [
      ["collector:80", "http://collector:80"],
      ["dns:///collector.default:4317", "http://collector.default:4317"],
      ["'[::1]:4317'", "http://[::1]:4317"],
      ["unix:///run/otel.sock", "unix:///run/otel.sock"],
    ]
  ) assert.equal(read(`${head}endpoint: ${endpoint}\n`).url, url);
});

test("mistakes are named together, with upstream's texts", () => {
  assert.throws(() => read(`${head}endpoint: http://a:1\nsamplingRatePerMillion: -1\n`), {
    message: "samplingRatePerMillion: Invalid value: -1: sampling rate must be positive, " +
      'endpoint: Invalid value: "http://a:1": must be host:port, dns:///host:port or unix:///path',
  });
  assert.throws(() => read(`${head}samplingRatePerMillion: 1000001\n`), /must be less than or equal to one million/);
  assert.throws(() => read(`${head}endpont: a\n`), /unknown field "endpont"/);
  for (const endpoint of ["a:1/b", "a:1?b", "u@a:1", "''", "a b", "unix:a", "https://a:1", "dns://a:1"]) {
    assert.throws(() => read(`${head}endpoint: ${endpoint}\n`), /^Error: endpoint: Invalid value/, endpoint);
  }
});
