// The command says what is missing, and ends without an error.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { companionsMissing } from "./density-cluster.ts";

test("npm run bench -- --density names the programs that are missing, then the folder of kwok's stages", async () => {
  const folder = await mkdtemp(join(tmpdir(), "thole-density-test-"));
  const density = async (...args: string[]): Promise<string> => {
    const program = fileURLToPath(new URL("./main.ts", import.meta.url));
    const runtime = "Deno" in globalThis ? ["run", "-A", "--no-check"] : ["--disable-warning=ExperimentalWarning"];
    const run = [...runtime, program, "--density", "--store", "sqlite", ...args];
    return (await promisify(execFile)(process.execPath, run, { env: { ...process.env, PATH: folder } })).stdout;
  };
  try {
    assert.equal(await density(), "Skipped: no kube-controller-manager, no kube-scheduler, no kwok on PATH\n");
    for (const name of ["kube-controller-manager", "kwok"]) await symlink(process.execPath, join(folder, `${name}-0.8`));
    assert.equal(await density(), "Skipped: no kube-scheduler on PATH\n");
  } finally {
    await rm(folder, { recursive: true });
  }
});

test("npm run bench -- --density names a stage that its folder does not have", async () => {
  const folder = await mkdtemp(join(tmpdir(), "thole-density-test-")), before = process.env["PATH"];
  try {
    // Different programs: links to one program count once.
    for (const name of ["kube-controller-manager", "kube-scheduler", "kwok"]) {
      await writeFile(join(folder, name), "#!/bin/sh\n", { mode: 0o700 });
    }
    process.env["PATH"] = folder;
    assert.equal(companionsMissing(undefined), "no folder of stages: name kustomize/stage of kwok's module with --stages");
    assert.equal(companionsMissing(folder), `no node/fast/node-initialize.yaml in ${folder}`);
  } finally {
    process.env["PATH"] = before;
    await rm(folder, { recursive: true });
  }
});
