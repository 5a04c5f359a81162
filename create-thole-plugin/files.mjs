// The files of a new plugin.
import { controllerModule, kindModule, pluginModule, testModule } from "./modules.mjs";

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
  "Date",
  "Error",
  "Infer",
  "Number",
  "Object",
  "Promise",
  "Spec",
  "Status",
  "StatusError",
  "String",
  "TestServer",
  "WorkQueue",
];

/** Texts by path. `thole` is the version that the plugin depends on, or the path of a tarball. */
export function filesOf({ kind, group, plural }, thole = versions.thole) {
  const home = `${group}/v2`, older = `${group}/v1`, type = taken.includes(kind) ? `${kind}Object` : kind;
  const names = { kind, group, plural, home, older, type, name: lowerFirst(kind) };
  return {
    "package.json": json({
      name: `thole-plugin-${plural}`,
      version: "0.1.0",
      description: `The kind ${kind} of ${group}, for Thole`,
      type: "module",
      exports: "./dist/plugin.js",
      files: ["dist", "example.yaml"],
      scripts: {
        start: "thole dev --plugins=./src/plugin.ts",
        test: 'node --disable-warning=ExperimentalWarning --test "src/*.test.ts"',
        types: "tsc --project .",
        build: "tsc --project tsconfig.build.json",
        prepack: "npm run types && npm run build",
      },
      peerDependencies: { thole: `>=${versions.thole}` },
      devDependencies: { "@types/node": versions["@types/node"], thole, typescript: versions.typescript },
      engines: { node: ">=22.13.0" },
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
    "tsconfig.build.json": json({
      extends: "./tsconfig.json",
      compilerOptions: { noEmit: false, outDir: "dist", rootDir: "src", declaration: true, rewriteRelativeImportExtensions: true },
      exclude: ["src/*.test.ts"],
    }),
    ".gitignore": "node_modules/\ndist/\nthole-data/\n*.tgz\n",
    "README.md": readme(names),
    "example.yaml": `apiVersion: ${home}\nkind: ${kind}\nmetadata:\n  name: first\nspec:\n  replicas: 2\n  delaySeconds: 5\n`,
    "src/kind.ts": kindModule(names),
    "src/plugin.ts": pluginModule(names),
    "src/controller.ts": controllerModule(names),
    "src/plugin.test.ts": testModule(names),
  };
}

const readme = ({ kind, group, plural }) =>
  `# thole-plugin-${plural}

A plugin for Thole: the kind ${kind} of the group ${group}, in two versions, with a controller that reports when it is ready.

\`\`\`sh
npm install
npm test          # the tests, with a server in their process
npm run types     # the type check
npm start         # a server for development: it prints the line "export KUBECONFIG=...", and restarts when a file changes
\`\`\`

With that line in another shell:

\`\`\`sh
kubectl apply -f example.yaml
kubectl get ${plural} --watch
kubectl explain ${plural}.spec
kubectl get ${plural}.v1.${group} first -o yaml
\`\`\`

| file | content |
|---|---|
| \`src/kind.ts\` | the fields of both versions, their rules, and the conversion between them |
| \`src/controller.ts\` | the controller, which writes the status |
| \`src/plugin.ts\` | the plugin: what a server loads |
| \`src/plugin.test.ts\` | the tests: forks of one server, with a clock that they advance |

\`npm publish\` checks the types, builds \`dist\` and publishes it. A server loads it by its path:

\`\`\`sh
npm install thole thole-plugin-${plural}
npx thole --plugins=all,./node_modules/thole-plugin-${plural}/dist/plugin.js
\`\`\`
`;
