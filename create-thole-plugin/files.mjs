// The files of a new plugin.

/** Versions that are known to work together. A test compares them with the repository's own. */
export const versions = { thole: "0.1.0", typescript: "7.0.2", "@types/node": "26.6.6" };

const json = (value) => `${JSON.stringify(value, undefined, 2)}\n`;
const lowerFirst = (text) => text[0].toLowerCase() + text.slice(1);

/** Names of types in the modules: a kind of such a name has another type. */
const taken = [
  "Array",
  "Boolean",
  "Column",
  "Controller",
  "ControllerContext",
  "Error",
  "FieldError",
  "Infer",
  "Number",
  "Object",
  "Promise",
  "String",
  "StatusError",
  "TestServer",
];

/** Texts by path. */
export function filesOf({ kind, group, plural }, hasController) {
  const name = lowerFirst(kind), home = `${group}/v1`, type = taken.includes(kind) ? `${kind}Object` : kind;
  return {
    "package.json": json({
      name: plural,
      version: "0.1.0",
      private: true,
      type: "module",
      scripts: {
        start: "thole dev --plugins=./src/plugin.ts",
        test: "node --disable-warning=ExperimentalWarning --test",
        types: "tsc --project .",
      },
      dependencies: { thole: versions.thole },
      devDependencies: { "@types/node": versions["@types/node"], typescript: versions.typescript },
      engines: { node: ">=24" },
    }),
    "tsconfig.json": json({
      compilerOptions: {
        strict: true,
        module: "nodenext",
        target: "esnext",
        lib: ["esnext", "dom", "dom.iterable"],
        types: ["node"],
        allowImportingTsExtensions: true,
        noEmit: true,
        skipLibCheck: true,
      },
      include: ["src"],
    }),
    ".gitignore": "node_modules/\nthole-data/\n",
    "README.md": readme({ kind, group, plural }, hasController),
    "example.yaml": `apiVersion: ${home}\nkind: ${kind}\nmetadata:\n  name: first\nspec:\n  size: 3\n  class: small\n`,
    "src/kind.ts": kindModule({ kind, type, home, name }),
    "src/plugin.ts": pluginModule({ kind, type, home, name, plural }, hasController),
    "src/plugin.test.ts": testModule({ type, name, plural }, hasController),
    ...(hasController ? { "src/controller.ts": controllerModule({ type, name, plural }) } : {}),
  };
}

const readme = ({ kind, group, plural }, hasController) =>
  `# ${plural}

A plugin for Thole: the kind ${kind} of the group ${group}${hasController ? ", with a controller that reports whether it is ready" : ""}.

\`\`\`sh
npm install
npm test          # the tests, with a server in their process
npm run types     # the type check
npm start         # a server for development: it prints the line "export KUBECONFIG=...", and restarts when a file changes
\`\`\`

With that line in another shell:

\`\`\`sh
kubectl apply -f example.yaml
kubectl get ${plural}
kubectl explain ${plural}.spec
\`\`\`

| file | content |
|---|---|
| \`src/kind.ts\` | the fields of the kind, and its rules |
| \`src/plugin.ts\` | the plugin: what the server loads |
${hasController ? "| `src/controller.ts` | the controller |\n" : ""}| \`src/plugin.test.ts\` | the tests |
`;

const kindModule = ({ kind, type, home, name }) =>
  `/** The kind ${kind}: its fields, and the rules that need more than one field or an older value. */
import { ageColumn, checker, field, immutable, int32, invalid, nameColumn, object, oneOf, structsOf } from "thole/plugin";
import type { Column, FieldError, Infer } from "thole/plugin";

export const home = "${home}";
const struct = structsOf(home);

const Spec = struct("${kind}Spec", {
  size: field(1, int32, "How large it is.", { required: true }),
  class: field(2, oneOf("small", "large"), "The class. Cannot change.", { default: "small", immutable: true }),
}, { doc: "What is wanted." });

const Status = struct("${kind}Status", {
  phase: field(1, oneOf("Pending", "Ready"), "How far it is."),
}, { doc: "What is observed." });

export const ${type} = object("${kind}", {
  spec: field(2, Spec, "What is wanted.", { required: true }),
  status: field(3, Status, "What is observed."),
}, { package: home, doc: "One ${name}." });
export type ${type} = Infer<typeof ${type}>;

const size: Column<${type}> = { name: "Size", type: "integer", description: "How large it is.", cell: ({ spec }) => spec.size };
const phase: Column<${type}> = { name: "Phase", type: "string", description: "How far it is.", cell: ({ status }) => status?.phase ?? "" };
/** What \`kubectl get\` shows. */
export const columns = [nameColumn, size, phase, ageColumn];

const structure = checker(Spec), fixed = immutable(Spec);

/** The rules of a new object. */
export function validate({ spec }: ${type}): readonly FieldError[] {
  const tooSmall = spec.size > 0 ? [] : [invalid("spec.size", spec.size, "must be greater than 0")];
  return [...structure(spec, "spec"), ...tooSmall];
}

/** The rules of a change. */
export function validateUpdate(next: ${type}, prior: ${type}): readonly FieldError[] {
  return [...fixed(next.spec, prior.spec, "spec"), ...validate(next)];
}
`;

const pluginModule = ({ kind, type, home, name, plural }, hasController) =>
  `/** The plugin: what the server loads with --plugins=./src/plugin.ts. */
import { definePlugin, defineResource } from "thole/plugin";
${
    hasController
      ? 'import { controller } from "./controller.ts";\n'
      : ""
  }import { columns, home, ${type}, validate, validateUpdate } from "./kind.ts";

export const ${name}Plugin = definePlugin({
  name: "${plural}",
  summary: "The kind ${kind}.",
${hasController ? "  controllers: [controller],\n" : ""}  resources: [defineResource({
    kind: "${kind}",
    plural: "${plural}",
    scope: "Namespaced",
    summary: "One ${name}.",
    storedAs: home,
    storedUnder: "${home.split("/")[0]}/${plural}",
    served: { [home]: { schema: ${type}, introduced: "1.0", columns } },
    create: validate,
    update: validateUpdate,
  })],
});
`;

const controllerModule = ({ type, name, plural }) =>
  `/** The controller: it reports each ${name} as ready. Replace \`reconcile\` with the work that makes it so. */
import { objectKey, runWorkQueue, splitObjectKey, StatusError } from "thole/plugin";
import type { Controller, ControllerContext } from "thole/plugin";
import { home, type ${type} } from "./kind.ts";

/** Brings one ${name} to its wanted state. It may run at any time and any number of times. */
async function reconcile({ api }: ControllerContext, key: string): Promise<void> {
  const { namespace, name } = splitObjectKey(key);
  let stored: ${type};
  try {
    stored = await api.get(home, "${plural}", namespace, name) as ${type};
  } catch (error) {
    if (error instanceof StatusError && error.reason === "NotFound") return; // deleted
    throw error; // logged, and tried again after a pause
  }
  if (stored.status?.phase === "Ready") return;
  await api.patch(home, "${plural}", namespace, name, { merge: { status: { phase: "Ready" } } }, { subresource: "status" });
}

export const controller: Controller = {
  name: "${plural}-controller",
  needs: [{ resource: "${plural}", groupVersions: [home] }],
  run: (context, signal) =>
    runWorkQueue({ context, signal, work: (key) => reconcile(context, key) }, async (queue, until) => {
      for await (const { object } of context.api.watch(home, "${plural}", "", {}, until)) queue.add(objectKey(object));
    }),
};
`;

const testModule = ({ type, name, plural }, hasController) =>
  `import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { StatusError } from "thole/plugin";
import { checkRoundTrips, openTestServer, type TestServer } from "thole/testing";
import { home, type ${type} } from "./kind.ts";
import { ${name}Plugin } from "./plugin.ts";

let server: TestServer;
before(async () => {
  server = await openTestServer({ plugins: [${name}Plugin] });
});
after(() => server.close());

const create = (name: string, spec: object) => server.api.create(home, "${plural}", "default", { metadata: { name }, spec });

test("a ${name} gets its default class", async () => {
  const made = await create("plain", { size: 3 }) as ${type};
  assert.equal(made.spec.class, "small");
});

test("a size of 0 is rejected, and so is another class", async () => {
  await assert.rejects(create("empty", { size: 0 }), (error) => {
    assert.ok(error instanceof StatusError && error.code === 422);
    return error.message.includes("spec.size: Invalid value: 0: must be greater than 0");
  });
  await create("fixed", { size: 1, class: "large" });
  const change = server.api.patch(home, "${plural}", "default", "fixed", { merge: { spec: { class: "small" } } });
  await assert.rejects(change, (error) => error instanceof StatusError && error.reason === "Invalid");
});

test("no encoding, patch or later version of a ${name} loses data", async () => {
  await checkRoundTrips(${name}Plugin);
});
${
    hasController
      ? `
test("the controller reports a ${name} as ready", async () => {
  await create("watched", { size: 1 });
  const events = server.api.watch(home, "${plural}", "default", { fieldSelector: "metadata.name=watched" }, AbortSignal.timeout(20_000));
  for await (const { object } of events) if ((object as ${type}).status?.phase === "Ready") return;
  assert.fail("it is not ready");
});
`
      : ""
  }`;
