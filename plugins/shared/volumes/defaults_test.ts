import assert from "node:assert/strict";
import { test } from "node:test";
import { defaulter } from "../../../core/derive/apply-defaults.ts";
import { PersistentVolumeClaimSpec, PersistentVolumeSpec, ResourceRequirements, Volume } from "./mod.ts";

const on = () => true;
const fillVolume = defaulter(Volume), fillClaim = defaulter(PersistentVolumeClaimSpec), fillPersistent = defaulter(PersistentVolumeSpec);
const volume = (value: Parameters<typeof fillVolume>[0]) => fillVolume(value, on);
const claim = (value: Parameters<typeof fillClaim>[0]) => fillClaim(value, on);
const persistent = (value: Parameters<typeof fillPersistent>[0]) => fillPersistent(value, on);

test("a volume without a source defaults to emptyDir", () => {
  assert.deepEqual(volume({ name: "a" }), { name: "a", emptyDir: {} });
  assert.deepEqual(volume({ name: "a", nfs: { server: "s", path: "/p" } }), { name: "a", nfs: { server: "s", path: "/p" } });
});

test("defaultMode of volumes defaults to 0644", () => {
  assert.deepEqual(volume({ name: "a", secret: {} }).secret, { defaultMode: 0o644 });
  assert.deepEqual(volume({ name: "a", configMap: { name: "c", defaultMode: 0 } }).configMap, { name: "c", defaultMode: 0 });
  const { projected } = volume({
    name: "a",
    projected: { sources: [{ serviceAccountToken: { path: "t" } }, { podCertificate: { signerName: "s", keyType: "ED25519" } }] },
  });
  assert.equal(projected?.defaultMode, 0o644);
  assert.equal(projected?.sources[0]?.serviceAccountToken?.expirationSeconds, 3600);
  assert.equal(projected?.sources[1]?.podCertificate?.maxExpirationSeconds, 86_400);
});

test("pullPolicy of an image volume defaults to Always for the tag latest or no tag", () => {
  const policy = (reference: string) => volume({ name: "a", image: { reference } }).image?.pullPolicy;
  for (const latest of ["app", "host:5000/app", "app:latest"]) assert.equal(policy(latest), "Always", latest);
  for (const fixed of ["app:1", "host:5000/app:1", "app@sha256:0123"]) assert.equal(policy(fixed), "IfNotPresent", fixed);
  for (const unreadable of ["", "App", "a//b"]) assert.equal(policy(unreadable), "IfNotPresent", unreadable);
});

test("pullPolicy of an image volume has no default without ImageVolume", () => {
  const off = (gate: string) => gate !== "ImageVolume";
  const bare = { name: "a", image: { reference: "app" } },
    explicit = { name: "a", image: { reference: "app", pullPolicy: "Never" as const } };
  assert.equal(fillVolume(bare, off), bare);
  assert.equal(fillVolume(explicit, off), explicit);
  assert.equal(fillVolume(explicit, on), explicit);
});

test("provider-specific sources get upstream's defaults", () => {
  assert.deepEqual(persistent({ hostPath: { path: "/a" } }).hostPath, { path: "/a", type: "" });
  assert.deepEqual(persistent({ azureDisk: { diskName: "d", diskURI: "u" } }).azureDisk, {
    diskName: "d",
    diskURI: "u",
    cachingMode: "ReadWrite",
    fsType: "ext4",
    readOnly: false,
    kind: "Shared",
  });
  assert.equal(persistent({ rbd: { monitors: ["m"], image: "i" } }).rbd?.keyring, "/etc/ceph/keyring");
  assert.equal(persistent({ iscsi: { targetPortal: "t", iqn: "i", lun: 0 } }).iscsi?.iscsiInterface, "default");
});

test("quantities are rounded up to thousandths; others are unchanged", () => {
  const amounts = { requests: { storage: "100u", memory: "1Gi" } };
  assert.deepEqual(claim({ resources: amounts }), { resources: { requests: { storage: "1m", memory: "1Gi" } }, volumeMode: "Filesystem" });
  const whole = { requests: { storage: "1Gi" }, limits: {} };
  assert.equal(defaulter(ResourceRequirements)(whole, on), whole);
  assert.deepEqual(persistent({ capacity: { storage: "1n" } }).capacity, { storage: "1m" });
});
