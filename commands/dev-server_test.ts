import assert from "node:assert/strict";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { folderPrefix, isServer, serverWords } from "./dev-server.ts";

test("isServer() accepts the words of serverWords(), and no folder that is not one of dev", () => {
  const words = (folder: string) => serverWords(["--secure-port=0"], folder).slice(1);
  assert.equal(isServer(words(join(tmpdir(), `${folderPrefix}a1`))), true);
  for (
    const other of [
      "/",
      tmpdir(),
      join(tmpdir(), "other"),
      join("/srv", `${folderPrefix}a1`),
      join(tmpdir(), `${folderPrefix}a1`, "..", "other"),
    ]
  ) {
    assert.equal(isServer(words(other)), false, other);
  }
  assert.equal(isServer(["--abandoned-folder="]), false);
  assert.equal(isServer([]), false);
});
