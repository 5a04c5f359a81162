import assert from "node:assert/strict";
import { test } from "node:test";
import { parseArguments } from "./parse.ts";
import { defaults } from "./settings.ts";
import { workerCount, workersMistakes } from "./workers.ts";

const etcd = { ...defaults, "etcd-servers": ["http://127.0.0.1:2379"] };

test("workerCount() is the number of the setting, and for auto that of the cores; one with the embedded store", () => {
  assert.equal(workerCount({ ...etcd, workers: 3 }, 8), 3);
  assert.equal(workerCount({ ...etcd, workers: "auto" }, 8), 8);
  assert.equal(workerCount({ ...etcd, workers: "auto" }, 0), 1);
  assert.equal(workerCount({ ...etcd, workers: "auto" }, 1000), 64);
  assert.equal(workerCount({ ...defaults, workers: "auto" }, 8), 1);
  assert.equal(workerCount(defaults, 8), 1);
});

test("workersMistakes() accepts auto and 1 to 64, and several workers on etcd with a data folder only", () => {
  for (const workers of ["auto", 1, 2, 64] as const) assert.deepEqual(workersMistakes({ ...etcd, workers }), []);
  assert.match(workersMistakes({ ...etcd, workers: 65 }).join(), /65 is more than 64/);
  assert.match(
    workersMistakes({ ...defaults, workers: 2 }).join(),
    /the embedded store belongs to one process: start an etcd and name it with "--etcd-servers", or use "--workers=1" \(docs\/operators-guide\.md#several-cores\)$/,
  );
  assert.deepEqual(workersMistakes({ ...defaults, workers: "auto" }), []);
  for (const workers of ["auto", 2] as const) {
    assert.match(workersMistakes({ ...etcd, workers, "data-dir": ":memory:" }).join(), /"--data-dir" on disk/);
  }
  assert.deepEqual(workersMistakes({ ...defaults, "data-dir": ":memory:", workers: "auto" }), []);
});

test("--workers is a number from 1, or auto", () => {
  const parsed = (value: string) => parseArguments([`--workers=${value}`, "--etcd-servers=http://127.0.0.1:2379"], () => "");
  for (const [value, wanted] of [["auto", "auto"], ["1", 1], ["12", 12]] as const) {
    const read = parsed(value);
    assert.equal(read.help ? undefined : read.config.workers, wanted);
  }
  for (const value of ["", "0", "-1", "1.5", "two", "1e1", " 2", "0x2", "02"]) {
    assert.throws(() => parsed(value), /is not auto or a number from 1$/, value);
  }
  assert.throws(() => parsed("100"), /100 is more than 64/);
});
