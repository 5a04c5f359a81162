/**
 * Evaluations of CEL expressions. Run: `deno run -A --no-check cel/cel_bench.ts`, or `node cel/cel_bench.ts` with a Node that reads
 * TypeScript. The first table has nanoseconds of an evaluation, of a compilation, and the cost. The second has expressions that are made to
 * take long: milliseconds until they end or are stopped.
 */
import process from "node:process";
import { compile, type Program } from "./compile.ts";
import { environment } from "./environment.ts";
import { dynType } from "./types.ts";
import { valueOfJson } from "./value/json.ts";
import { CelError, type Value } from "./values.ts";

const known = environment({ version: 34, variables: [{ name: "object", type: dynType }] });

const rules: readonly string[] = [
  "object.spec.replicas <= 5",
  "object.spec.replicas * 2 + 1 < object.spec.max - 3",
  "has(object.metadata.labels) && 'app' in object.metadata.labels",
  "object.metadata.name == 'web-frontend-01' || object.metadata.namespace == 'kube-system'",
  "object.metadata.name.startsWith('web-') && !object.metadata.name.endsWith('-x')",
  "object.spec.type in ['ClusterIP', 'NodePort', 'LoadBalancer']",
  "object.metadata.name.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?$')",
  "object.spec.containers.all(c, c.image.startsWith('registry.example.com/'))",
  "object.spec.containers.exists(c, c.ports.exists(p, p.containerPort == 8443))",
  "object.spec.containers.map(c, c.name).size() == 3",
  "object.spec.containers.filter(c, has(c.resources) && c.resources.limits.cpu != '').size() > 0",
  "object.spec.containers.all(c, object.spec.containers.exists_one(d, d.name == c.name))",
  "object.spec.type == 'NodePort' ? object.spec.replicas > 0 : object.spec.replicas >= 0",
  "object.?spec.?strategy.?rollingUpdate.orValue(3) == 3",
  "object.spec.containers.all(c, quantity(c.resources.limits.cpu).isLessThan(quantity('8')))",
  "object.metadata.labels.all(k, k.size() < 64 && object.metadata.labels[k].size() < 64)",
];

function container(name: string, port: number, cpu: string) {
  return {
    name,
    image: `registry.example.com/${name}:1`,
    ports: [{ containerPort: port }],
    resources: { limits: { cpu, memory: "1Gi" } },
  };
}
const object = valueOfJson({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web-frontend-01", namespace: "prod", labels: { app: "web", tier: "frontend", team: "a", version: "v12" } },
  spec: {
    replicas: 3,
    max: 20,
    type: "NodePort",
    containers: [container("a", 8080, "500m"), container("b", 8443, "2"), container("c", 9090, "1")],
  },
});

/** Expressions that take long for what they cost, over an object of several megabytes. */
const hostile: readonly string[] = [
  "object.list.all(x, object.list == object.same)",
  "object.list.all(x, object.map == object.sameMap)",
  "object.list.exists(x, object.text < object.other && false)",
  "object.list.exists(x, object.text.size() == 3)",
  "object.list.exists(x, object.text.matches('[ab]*a[ab]{900}[cd]'))",
  "object.list.exists(x, 'x'.matches(string(x) + '(((a{10}){10}){9})'))",
  "object.list.exists(x, timestamp(0).getHours('Abc/A' + string(x)) == 99)",
  "object.list.exists(x, duration(object.parts) == duration('1s'))",
  "object.text.findAll('ab').size()",
  "object.list.map(x, object.text).join(object.text)",
  `[[1, 2, 3]]${".map(l, l + l)".repeat(40)}.map(l, l.reverse())`,
];

function largeObject(): Value {
  const entries = Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`x${index}`, index]));
  const list = Array.from({ length: 200_000 }, (_, index) => index);
  const text = "ab".repeat(1_000_000);
  return valueOfJson({
    list,
    same: [...list],
    map: entries,
    sameMap: { ...entries },
    text,
    other: `${text}c`,
    parts: "1s".repeat(500_000),
  });
}

function programOf(text: string): Program {
  const compiled = compile(text, known);
  if (compiled.tag !== "program") throw new Error(`${text} does not compile`);
  return compiled.program;
}

/** Returns the nanoseconds of one run, the least of many short rounds: on a busy machine some rounds are not interrupted. */
function nanoseconds(run: () => void, times: number): number {
  let least = Infinity;
  for (let round = 0; round < 160; round++) {
    const begun = performance.now();
    for (let time = 0; time < times; time++) run();
    least = Math.min(least, (performance.now() - begun) * 1e6 / times);
  }
  return least;
}

console.log("evaluation  compilation  cost  rule");
for (const rule of rules) {
  const program = programOf(rule);
  const variables = (name: string): Value | undefined => name === "object" ? object : undefined;
  const { value, cost } = program.evaluate(variables);
  if (value instanceof CelError) throw new Error(`${rule}: ${value.message}`);
  const evaluation = nanoseconds(() => program.evaluate(variables), 1_000);
  const compilation = nanoseconds(() => programOf(rule), 10);
  console.log(
    `${evaluation.toFixed(0).padStart(7)} ns ${(compilation / 1000).toFixed(0).padStart(9)} us ${String(cost).padStart(5)}  ${rule}`,
  );
}

const large = largeObject();
console.log("\n   ended  stopped     cost  expression");
for (const text of hostile) {
  const program = programOf(text);
  const begun = performance.now();
  const { cost, stopped } = program.evaluate((name) => name === "object" ? large : undefined);
  const ms = `${(performance.now() - begun).toFixed(0).padStart(5)} ms`;
  const shown = text.length > 90 ? `${text.slice(0, 60)}...${text.slice(-25)}` : text;
  console.log(`${ms}  ${(stopped ?? "").padEnd(7)} ${String(cost).padStart(9)}  ${shown}`);
}
console.log(`\nheap ${(process.memoryUsage().heapUsed / 1024 / 1024).toFixed(0)} MiB`);
