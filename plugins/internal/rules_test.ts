// In Deno's suite only: rules of kinds use nothing of the runtime.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fieldErrorText } from "../../core/field-error.ts";
import { storageVersionName, validateStatus } from "./rules.ts";
import { storageVersions } from "./storage-version.ts";

const checked = (status: any) => validateStatus(status).map(fieldErrorText); // `any`: also wrong statuses
const server = (apiServerID: string, version: string, rest: object = {}) => ({
  apiServerID,
  encodingVersion: version,
  decodableVersions: [version],
  ...rest,
});

test("the name of a storage version has a group and a plural", () => {
  for (const name of ["core.pods", "apps.deployments", "a.b.c"]) assert.deepEqual(storageVersionName(name), []);
  assert.deepEqual(storageVersionName("pods"), ["name must be in the form of <group>.<resource>"]);
  assert.match(storageVersionName("Apps.pods").join(), /^the group segment a lowercase/);
  assert.match(storageVersionName("apps.1pods").join(), /^the resource segment a DNS-1035 label/);
});

test("each server's versions are checked, and the common one is theirs", () => {
  const v1 = { storageVersions: [server("a", "v1"), server("b", "v1")], commonEncodingVersion: "v1" };
  assert.deepEqual(checked({}), []);
  assert.deepEqual(checked(v1), []);
  assert.deepEqual(checked({ ...v1, storageVersions: [server("a", "v1", { servedVersions: ["v1"] }), server("b", "v1")] }), []);
  assert.deepEqual(checked({ storageVersions: [server("a", "v1"), server("b", "v2")] }), []);
  const cases: readonly (readonly [object, RegExp])[] = [
    [{ ...v1, commonEncodingVersion: "v2" }, /^status.commonEncodingVersion: .*: the actual common encoding version is v1$/],
    [{ ...v1, commonEncodingVersion: undefined }, /^status.commonEncodingVersion: Invalid value: null: the common encoding version is v1$/],
    [{ commonEncodingVersion: "v1" }, /^status.commonEncodingVersion: .* should be nil/],
    [{ ...v1, storageVersions: [server("a", "v1"), server("a", "v1")] }, /^status.storageVersions\[1\].apiServerID: Duplicate value: "a"$/],
    [{ ...v1, storageVersions: [server("A", "v1")] }, /^status.storageVersions\[0\].apiServerID: Invalid value: "A": a lowercase/],
    [
      { ...v1, storageVersions: [server("a", "v1", { decodableVersions: ["v2"] })] },
      /^status.storageVersions\[0\].decodableVersions: .* must include encodingVersion v1$/,
    ],
    [
      { ...v1, storageVersions: [server("a", "v1", { servedVersions: ["v2"] })] },
      /servedVersions\[0\]: .* individual served version : v2 must be included in decodableVersions : \[v1\]$/,
    ],
    [{ ...v1, storageVersions: [server("a", "v1", { decodableVersions: ["v1", "/v1"] })] }, /: group part: must be non-empty$/],
    [{ conditions: [{ type: "A", status: "True", reason: "", message: "m" }] }, /^status\[0\].reason: Required value$/],
  ];
  for (const [status, expected] of cases) {
    const errors = checked(status);
    assert.equal(errors.length, 1, errors.join());
    assert.match(errors[0]!, expected);
  }
});

test("the table of storage versions shows three servers", () => {
  const cells = (status: object) =>
    storageVersions.served["internal.apiserver.{domain}/v1alpha1"]!.columns!.slice(1, 3).map(({ cell }) => cell!({ status } as any)); // `any`: a partial object
  assert.deepEqual(cells({}), ["<unset>", "<unset>"]);
  const four = ["a", "b", "c", "d"].map((each) => server(each, "v1"));
  assert.deepEqual(cells({ storageVersions: four, commonEncodingVersion: "v1" }), ["v1", "a=v1,b=v1,c=v1 + 1 more..."]);
});
