// docs/not-implemented.md names every kind, flag and admission plugin of kube-apiserver 1.35 that is not there.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { ignoredFlags } from "../../server/config/upstream-flags.ts";
import { settings } from "../../server/config/settings.ts";
import { plugins } from "../../plugins/mod.ts";

const page = readFileSync(new URL("../../docs/not-implemented.md", import.meta.url), "utf8");
/** The words in code of the page. */
const named = new Set([...page.matchAll(/`([^`]+)`/g)].flatMap(([, code = ""]) => code.split(/[\s,|()]+/)));

/** Documents that servers send to webhooks, and forms of a subresource: they are no resources. */
const documents = new Set([
  "AdmissionReview",
  "ConversionReview",
  "ImageReview",
  "TokenRequest",
  "Scale",
  "Eviction",
  "PodStatusResult",
  "RangeAllocation",
  "SerializedReference",
]);

test("every kind of kube-apiserver that is not served is named, and no served one", () => {
  const served = new Set(plugins.flatMap(({ resources = [] }) => resources).map(({ kind }) => kind));
  const files = readdirSync(new URL("../golden/v1.35/", import.meta.url)).filter((file) => file.endsWith(".json"));
  const kinds = new Set(files.map((file) => file.split(".").at(-2)!));
  assert.ok(kinds.size > 60);
  const missing = [...kinds].filter((kind) => !served.has(kind) && !documents.has(kind));
  assert.deepEqual(missing.filter((kind) => !named.has(kind)), []);
  const list = /## Kinds\n([\s\S]*?)\n## /.exec(page)![1]!;
  assert.deepEqual([...list.matchAll(/`([A-Z]\w+)`/g)].map(([, kind = ""]) => kind).filter((kind) => !missing.includes(kind)), []);
});

test("every flag of kube-apiserver that is no setting is named", () => {
  const refused = ["authorization-policy-file"];
  const flags = [...ignoredFlags.withValue, ...ignoredFlags.withoutValue, ...refused].filter((name) => !Object.hasOwn(settings, name));
  assert.deepEqual(flags.filter((name) => !named.has(name)), []);
});

/** The admission plugins of kube-apiserver 1.35 and 1.36, from their help. */
const upstreamPlugins = [
  "AlwaysAdmit AlwaysDeny AlwaysPullImages CertificateApproval CertificateSigning CertificateSubjectRestriction ClusterTrustBundleAttest DefaultIngressClass",
  "DefaultStorageClass DefaultTolerationSeconds DenyServiceExternalIPs EventRateLimit ExtendedResourceToleration ImagePolicyWebhook JobValidation",
  "LimitPodHardAntiAffinityTopology LimitRanger MutatingAdmissionPolicy MutatingAdmissionWebhook NamespaceAutoProvision NamespaceExists NamespaceLifecycle",
  "NodeDeclaredFeatureValidator NodeRestriction OwnerReferencesPermissionEnforcement PersistentVolumeClaimResize PodGroupProtection PodGroupWorkloadExists PodNodeSelector",
  "PodResizeValidator PodSecurity PodTolerationRestriction PodTopologyLabels Priority ResourceQuota RuntimeClass ServiceAccount StorageObjectInUseProtection TaintNodesByCondition",
  "ValidatingAdmissionPolicy ValidatingAdmissionWebhook",
].join(" ").split(" ");

test("every admission plugin of kube-apiserver that is no step is named", () => {
  const own = new Set(["NamespaceLifecycle", ...plugins.flatMap(({ admission = [] }) => admission).map(({ name }) => name)]);
  assert.deepEqual(upstreamPlugins.filter((name) => !own.has(name) && !named.has(name)), []);
});
