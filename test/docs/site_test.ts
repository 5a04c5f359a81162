// The documentation as HTML pages: every link leads to a file and an id, and nothing is loaded from elsewhere.
// In Deno's suite only: it checks files of the repository.
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { after, before, describe, test } from "node:test";
import { buildSite } from "../../tools/docs/site.ts";
import { startSkipped } from "../real-server.ts";

describe("npm run site", { skip: startSkipped("deno") }, () => {
  let folder = "";
  const pages = new Map<string, string>();
  before(() => {
    folder = mkdtempSync(join(tmpdir(), "thole-site-"));
    for (const path of buildSite(join(folder, "site"))) pages.set(path, readFileSync(join(folder, "site", path), "utf8"));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  test("writes the pages of docs/, with titles and navigation", () => {
    assert.ok(pages.size > 40);
    assert.match(pages.get("index.html")!, /<title>Documentation · Thole<\/title>/);
    assert.match(pages.get("concepts.html")!, /<a href="concepts.html" aria-current="page">Concepts<\/a>/);
    assert.match(pages.get("decisions/0001-paths-outside-of-resources.html")!, /<a href="\.\.\/concepts\.html">/);
    for (const [path, html] of pages) {
      assert.equal(html.match(/<h1 /g)?.length, 1, path);
      assert.match(html, /<title>[^<]+ · Thole<\/title>/, path);
    }
  });

  test("links and pictures of every page resolve", () => {
    const wrong = [...pages].flatMap(([path, html]) =>
      [...html.matchAll(/ (?:href|src)="([^"]*)"/g)].map(([, target]) => target!).filter((target) => !/^(https?|mailto):/.test(target))
        .filter((target) => {
          const [file = "", id] = target.split("#");
          const found = file === "" ? path : relative(join(folder, "site"), resolve(folder, "site", dirname(path), file));
          if (id === undefined) return !existsSync(join(folder, "site", found));
          return !(pages.get(found)?.includes(` id="${id}"`) ?? false);
        }).map((target) => `${path}: ${target}`)
    );
    assert.deepEqual(wrong, []);
  });

  test("pages have no scripts, no raw HTML of their texts, and load nothing from other hosts", () => {
    for (const [path, html] of pages) {
      assert.doesNotMatch(html, /<script|<iframe| on\w+=|<link[^>]*https?:|<img[^>]*https?:/, path);
    }
  });
});
