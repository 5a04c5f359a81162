#!/usr/bin/env node
// npm create thole-plugin [FOLDER] [-- --kind=KIND.GROUP]
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import process from "node:process";
import { createInterface } from "node:readline/promises";
import { Mistake, nodeNote, parsedArguments, parsedKind } from "./answers.mjs";
import { cloneOf, packed } from "./clone.mjs";
import { filesOf, versions } from "./files.mjs";

/** Asks for the kind, again until the answer is valid. */
async function askedKind() {
  if (!process.stdin.isTTY) throw new Mistake("no terminal to ask: give --kind=KIND.GROUP");
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    while (true) {
      try {
        return parsedKind(await terminal.question("Kind and group, such as Database.db.example.com: "));
      } catch (error) {
        if (!(error instanceof Mistake)) throw error;
        console.error(error.message);
      }
    }
  } finally {
    terminal.close();
  }
}

function contentOf(folder) {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (error.code === "ENOENT") return [];
    throw new Mistake(`cannot write to ${folder}: ${error.message}`);
  }
}

async function main() {
  const given = parsedArguments(process.argv.slice(2));
  if (given.help) return console.log("npm create thole-plugin [FOLDER] [-- --kind=KIND.GROUP]");
  const kind = given.kind ?? await askedKind();
  const folder = resolve(given.folder ?? kind.plural);
  if (contentOf(folder).length > 0) throw new Mistake(`${folder} is not empty: name a new folder`);
  const clone = cloneOf();
  const thole = clone === undefined ? versions.thole : `file:${relative(folder, packed(clone))}`;
  for (const [path, text] of Object.entries(filesOf(kind, thole))) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
    console.log(`wrote ${relative(process.cwd(), join(folder, path))}`);
  }
  console.log(`\nNext:\n  cd ${relative(process.cwd(), folder) || "."}\n  npm install\n  npm test\n  npm start`);
  const note = nodeNote(process.versions.node);
  if (note !== undefined) console.log(`\n${note}`);
}

main().catch((error) => {
  if (!(error instanceof Mistake)) throw error;
  console.error(`create-thole-plugin: ${error.message}`);
  process.exitCode = 1;
});
