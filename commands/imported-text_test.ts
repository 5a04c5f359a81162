import assert from "node:assert/strict";
import { test } from "node:test";
import { surveyTable } from "./imported-text.ts";

test("surveyTable() aligns its columns, and shows no control characters of another server's objects", () => {
  const row = { resource: "configmaps", kind: "ConfigMap", version: "v1", namespace: "shop", objects: 12, bytes: 3456, left: "" };
  const rows = [row, { ...row, resource: "a\x1b[2Jb", version: "", namespace: "", objects: 1, left: "no kind\nx" }];
  assert.equal(
    surveyTable(rows),
    "RESOURCE    VERSION  NAMESPACE  OBJECTS  BYTES  IMPORT\n" +
      "configmaps  v1       shop            12   3456  yes\n" +
      "a\ufffd[2Jb      -        -                1   3456  no: no kind\ufffdx",
  );
});
