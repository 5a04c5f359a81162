// In Deno's suite only: both read through the same code; the stores have shared suites on both.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { directReads } from "../../kernel/reads/direct-reads.ts";
import { openSqlite } from "../../kernel/store/sqlite/sqlite.ts";
import { cells, listAnswer, watchAnswer } from "./semantics.ts";
import { semanticsConformance } from "./semantics-conformance.ts";
import { cached, fastClock, type Fixture, neverFilled } from "./fixture.ts";

const direct = async (): Promise<Fixture> => {
  const store = await openSqlite(":memory:");
  return { store, reads: directReads(store, fastClock), close: () => store.close() };
};
semanticsConformance("straight from sqlite", { open: direct });
semanticsConformance("cache over sqlite", { open: async () => cached(await openSqlite(":memory:")) });
semanticsConformance("cache over sqlite that is still being filled", { open: direct, reopen: neverFilled, filling: true });

const facts = new URL("../reference/facts/watch-and-list-semantics.json", import.meta.url);
interface Facts {
  readonly optionErrors: {
    readonly listAndWatchCases: readonly {
      readonly query: Readonly<Record<string, string>>;
      readonly code: number;
      readonly message: string;
    }[];
  };
  readonly listSemantics: readonly { readonly limit: string; readonly rv: string; readonly match?: string; readonly meaning: string }[];
}

test("listAnswer() and watchAnswer() agree with the reference", async () => {
  const text = await readFile(facts, "utf8");
  const { optionErrors, listSemantics } = JSON.parse(text) as Facts;
  for (const { query, code, message } of optionErrors.listAndWatchCases) {
    const { watch, continue: token = "", resourceVersion = "", ...rest } = query;
    const cell = cells().find((each) =>
      each.limit === "" && each.continue === (token === "" ? "" : "token") &&
      each.resourceVersion === (resourceVersion === "1" ? "N" : resourceVersion) &&
      each.resourceVersionMatch === (rest.resourceVersionMatch ?? "") && each.sendInitialEvents === (rest.sendInitialEvents ?? "")
    ) ?? assert.fail(JSON.stringify(query));
    assert.deepEqual(watch === undefined ? listAnswer(cell) : watchAnswer(cell), { code, message });
  }
  const words: Readonly<Record<string, string>> = {
    "most recent": "newest",
    any: "any",
    "not older than N": "not older",
    "exactly N": "exact",
  };
  const rows = listSemantics.filter(({ match }) => match !== undefined);
  assert.equal(rows.length, 12);
  for (const { limit, rv, match, meaning } of rows) {
    const cell = {
      resourceVersion: rv,
      resourceVersionMatch: match!,
      limit: limit === "n" ? "1" : "",
      continue: "",
      sendInitialEvents: "",
    };
    const word = Object.keys(words).find((each) => meaning.startsWith(each)) ?? assert.fail(meaning);
    assert.deepEqual(listAnswer(cell), { meaning: words[word] });
  }
});
