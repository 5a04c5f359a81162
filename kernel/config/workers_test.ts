import assert from "node:assert/strict";
import { test } from "node:test";
import { defaults } from "./settings.ts";
import { workerCount, workersMistakes } from "./workers.ts";

const etcd = { ...defaults, "etcd-servers": ["http://127.0.0.1:2379"] };

test("workerCount() is the number of the setting, and for auto that of the cores; one with the embedded store", () => {
  assert.equal(workerCount({ ...etcd, workers: "3" }, 8), 3);
  assert.equal(workerCount({ ...etcd, workers: "auto" }, 8), 8);
  assert.equal(workerCount({ ...etcd, workers: "auto" }, 0), 1);
  assert.equal(workerCount({ ...etcd, workers: "auto" }, 1000), 64);
  assert.equal(workerCount({ ...defaults, workers: "auto" }, 8), 1);
  assert.equal(workerCount(defaults, 8), 1);
});

test("workersMistakes() accepts auto and 1 to 64, and several workers on etcd with a data folder only", () => {
  for (const workers of ["auto", "1", "2", "64"]) assert.deepEqual(workersMistakes({ ...etcd, workers }), [], workers);
  for (const workers of ["", "0", "65", "-1", "1.5", "two", "1e1", " 2", "0x2"]) {
    assert.match(workersMistakes({ ...etcd, workers }).join(), /is not auto or a number from 1 to 64/, workers);
  }
  assert.match(workersMistakes({ ...defaults, workers: "2" }).join(), /embedded store belongs to one process/);
  assert.deepEqual(workersMistakes({ ...defaults, workers: "auto" }), []);
  assert.match(workersMistakes({ ...etcd, workers: "2", "data-dir": ":memory:" }).join(), /"--data-dir" on disk/);
  assert.match(workersMistakes({ ...etcd, workers: "auto", "data-dir": ":memory:" }).join(), /"--data-dir" on disk/);
  assert.deepEqual(workersMistakes({ ...defaults, "data-dir": ":memory:", workers: "auto" }), []);
});
