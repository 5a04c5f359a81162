import assert from "node:assert/strict";
import { test } from "node:test";
import { StatusError } from "../status-error.ts";
import { jsonFromTree, readWrittenJson, treeFromJson } from "../tree/json.ts";
import { applyJsonPatch, readJsonPatch } from "./json-patch.ts";
import { plainTree, writtenText } from "./written.ts";
