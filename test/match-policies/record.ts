/**
 * Records what a kube-apiserver answers to the cases, in `recorded.json`:
 *
 *     NODE_TLS_REJECT_UNAUTHORIZED=0 node test/match-policies/record.ts https://127.0.0.1:6443 TOKEN
 *
 * It needs --runtime-config=admissionregistration.k8s.io/v1beta1=true.
 */
import { writeFile } from "node:fs/promises";
import process from "node:process";
import { type Ask, record, warningsOf } from "./cases.ts";

const [url = "", token = ""] = process.argv.slice(2);
const ask: Ask = async (method, path, body, type = "application/json") => {
  const headers = { authorization: `Bearer ${token}`, "content-type": type };
  const reply = await fetch(`${url}${path}`, { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
  return { code: reply.status, warnings: warningsOf(reply.headers), body: await reply.json() };
};
const { seen, mutated } = await record(ask);
const lines = (values: object) =>
  Object.entries(values).map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`).join(",\n");
await writeFile(new URL("recorded.json", import.meta.url), `{"seen": {\n${lines(seen)}\n}, "mutated": {\n${lines(mutated)}\n}}\n`);
