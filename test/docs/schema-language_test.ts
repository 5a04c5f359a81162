// In Deno's suite only: it checks files of the repository, and what requests give does not depend on the runtime.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import * as schema from "../../core/schema.ts";
import { checker, definePlugin, defineResource, field, object, struct } from "../../plugin.ts";
import { openTestServer } from "../../testing.ts";
import { ask } from "../requests.ts";
import { examples } from "../../tools/docs/schema-examples.ts";
import { constructors, schemaPage } from "../../tools/docs/schema-page.ts";

const groupVersion = "fleet.example.com/v1";

test("docs/schema-language.md is up to date; `npm run docs` updates it", async () => {
  assert.equal(await readFile(new URL("../../docs/schema-language.md", import.meta.url), "utf8"), schemaPage());
});

test("every constructor that plugins use has an example, and every option a docstring", () => {
  const others = ["field", "fold", "isObject", "resolve", "structsIn"], notForPlugins = ["fieldsV1", "structural"];
  assert.deepEqual(["object", ...Object.keys(schema)].toSorted(), [...constructors, ...others, ...notForPlugins].toSorted());
  assert.deepEqual(Object.keys(examples).toSorted(), constructors.toSorted());
  const [, options = ""] = schemaPage().split("## Options of a field\n");
  for (const line of options.split("\n- `").slice(1)) assert.match(line, /^[^\n]*` {2}\n {2}\S/);
});

test("requests give what the examples of docs/schema-language.md say", async () => {
  const names = Object.keys(examples), kindOf = (name: string) => `Ship${names.indexOf(name)}`;
  const resources = names.map((name) => {
    const { fields, schema: whole } = examples[name]!, kind = kindOf(name);
    const spec = struct(`${kind}Spec`, fields ?? {}, { package: groupVersion });
    const made = whole ?? object(kind, { spec: field(2, spec, "The wanted state.", { written: "always" }) }, { package: groupVersion });
    const check = checker(made);
    return defineResource({
      kind,
      scope: "Cluster",
      summary: `The example of ${name}.`,
      storedAs: groupVersion,
      storedUnder: `fleet.example.com/${kind.toLowerCase()}`,
      served: { [groupVersion]: { schema: made, introduced: "1.0" } },
      create: (next) => check(next, ""),
    });
  });
  await using server = await openTestServer({ plugins: [definePlugin({ name: "fleet", summary: "Examples.", resources })] });
  for (const name of names) {
    const answers = await Promise.all(examples[name]!.cases.map(async ([sent], at) => {
      const body = `{"apiVersion":"${groupVersion}","kind":"${
        kindOf(name)
      }","metadata":{"name":"${name.toLowerCase()}-${at}"},"spec":${sent}}`;
      const { status, text } = await ask(server, "POST", `/apis/${groupVersion}/${kindOf(name).toLowerCase()}s`, body);
      if (status === 201) return [sent, /,"spec":(.*?)(?:,"status":\{\})?\}\n$/.exec(text)?.[1]];
      return [sent, `${status}: ${errorOf(JSON.parse(text))}`];
    }));
    assert.deepEqual(answers, examples[name]!.cases, name);
  }
});

/** The causes of an error, else its message without its begin, which names the kind. */
function errorOf(status: { message: string; details?: { causes?: readonly { field: string; message: string }[] } }): string {
  const causes = status.details?.causes ?? [];
  if (causes.length > 0) return causes.map(({ field, message }) => `${field}: ${message}`).join("; ");
  return status.message.replace(/^Ship[0-9]+ in version "v1" cannot be handled as a Ship[0-9]+: /, "").replaceAll(/Ship[0-9]+/g, "Ship");
}
