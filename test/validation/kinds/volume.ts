import { type Case, type Change, type KindRules, merged, partly, type Reason, type Rule, rule } from "../rule.ts";
import { projectedRules } from "./projected-volume.ts";
import { casesOf, type Place, smallest, sourceRules } from "./volume-sources.ts";

const both = "create+update";
const volumes = (...each: readonly Change[]): Change => ({ template: { spec: { volumes: each } } });
/** A list is replaced as a whole, so removed members are omitted. */
const volume = (source: Change): Change => merged({ name: "one" }, source) as Change; // Merging records gives a record.

const place: Place = {
  path: "template.spec.volumes[0].",
  with: (source) => volumes(volume(source)),
  secret: {},
  csi: {},
  portal: "name",
};
const sources = smallest(place);

function of(at: string, reason: Reason, broken: Change, held: Change = { emptyDir: {} }): Case {
  return { at: `${place.path}${at}`, reason, broken: place.with(broken), held: place.with(held) };
}
/** Rules of volume names. Errors have the path of the volume. */
function named(at: string, reason: Reason, broken: readonly string[], held: readonly string[]): Case {
  const empty = (names: readonly string[]) => volumes(...names.map((name) => ({ name, emptyDir: {} })));
  return { at: `template.spec.volumes${at}`, reason, broken: empty(broken), held: empty(held) };
}

const file = { key: "a", path: "a" };
const badPaths = ["/a", "a/../b", "..a"];

/** Items of Secret and ConfigMap volumes. */
function inItem(at: string, reason: Reason, broken: Change, held: Change = {}): readonly Case[] {
  return [["secret", "secretName"], ["configMap", "name"]].map(([key = "", name = ""]) =>
    of(`${key}.items[0].${at}`, reason, { [key]: { [name]: "a", items: [{ ...file, ...broken }] } }, {
      [key]: { [name]: "a", items: [{ ...file, ...held }] },
    })
  );
}
const mode = (key: string, rest: Change = {}): Rule =>
  rule(
    [`${key}.defaultMode`, both, "Invalid", "fileMode"],
    ...[[512, 511], [-1, 0]].map(([wrong, right]) =>
      of(`${key}.defaultMode`, "Invalid", { [key]: { ...rest, defaultMode: wrong } }, { [key]: { ...rest, defaultMode: right } })
    ),
  );
const needed = (field: string, broken: Change, held: Change): Rule =>
  rule([field, both, "Required", "non-empty"], of(field, "Required", broken, held));

const shown = { path: "a", fieldRef: { fieldPath: "metadata.name" } };
const amount = { containerName: "a", resource: "limits.cpu" };
const downward = (item: Change): Change => ({ downwardAPI: { items: [merged(shown, item) as Change] } }); // Merging records gives a record.
/** Errors of items have no index. */
function inDownward(at: string, reason: Reason, broken: Change, held: Change = {}): Case {
  return of(`downwardAPI${at}`, reason, downward(broken), downward(held));
}
const ofAmount = (change: Change): Change => ({ fieldRef: null, resourceFieldRef: { ...amount, ...change } });
const field = (fieldPath: string): Change => ({ fieldRef: { fieldPath } });

const downwardRules: readonly Rule[] = [
  mode("downwardAPI"),
  rule(["downwardAPI", both, "(path quirk)", "items errors reported without index"], inDownward(".path", "Required", { path: "" })),
  rule(
    ["downwardAPI.items.path", both, "Required / Invalid", "non-empty, relative, no .."],
    inDownward(".path", "Required", { path: "" }),
    ...badPaths.map((path) => inDownward(".path", "Invalid", { path }, { path: "a/b" })),
  ),
  rule(
    ["downwardAPI.items", both, "Required / Invalid", "exactly one of fieldRef, resourceFieldRef"],
    inDownward("", "Required", { fieldRef: null }),
    inDownward("", "Invalid", { resourceFieldRef: amount }, ofAmount({})),
  ),
  rule(
    [
      "downwardAPI.items.fieldRef.fieldPath",
      both,
      "NotSupported / Invalid",
      "metadata.name, metadata.namespace, metadata.labels, metadata.annotations, metadata.uid, or metadata.labels['k'] / metadata.annotations['k']",
    ],
    inDownward(".fieldRef.fieldPath", "NotSupported", field("status.podIP"), field("metadata.uid")),
    inDownward(".fieldRef.fieldPath", "Invalid", field("metadata.generation"), field("metadata.labels['a']")),
  ),
  rule(
    ["downwardAPI.items.resourceFieldRef.containerName", both, "Required", "non-empty"],
    inDownward(".resourceFieldRef.containerName", "Required", ofAmount({ containerName: "" }), ofAmount({})),
  ),
  rule(
    [
      "downwardAPI.items.resourceFieldRef.resource",
      both,
      "NotSupported",
      "limits./requests. cpu, memory, ephemeral-storage, hugepages-*",
    ],
    inDownward(
      ".resourceFieldRef.resource",
      "NotSupported",
      ofAmount({ resource: "limits.disk" }),
      ofAmount({ resource: "requests.hugepages-2Mi" }),
    ),
  ),
  rule(
    [
      "downwardAPI.items.resourceFieldRef.divisor",
      both,
      "Invalid",
      "cpu: 1m,1; others: 1,1k,1M,1G,1T,1P,1E,1Ki,1Mi,1Gi,1Ti,1Pi,1Ei",
    ],
    inDownward(".resourceFieldRef.divisor", "Invalid", ofAmount({ divisor: "2" }), ofAmount({ divisor: "1m" })),
    inDownward(
      ".resourceFieldRef.divisor",
      "Invalid",
      ofAmount({ resource: "limits.memory", divisor: "1m" }),
      ofAmount({ resource: "limits.memory", divisor: "1Gi" }),
    ),
  ),
  rule(["downwardAPI.items.mode", both, "Invalid", "fileMode"], inDownward(".mode", "Invalid", { mode: 512 }, { mode: 511 })),
];

const claimSpec = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };
const ephemeral = (template: Change): Change => ({ ephemeral: { volumeClaimTemplate: { spec: claimSpec, ...template } } });

/** Tested on pod templates, which have no name. */
export const embeddedVolume: KindRules = {
  kind: "v1/Volume (embedded)",
  path: "/api/v1/namespaces/default/podtemplates",
  valid: { template: { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "a", image: "a" }] } } },
  rules: [
    rule(
      [
        "<source>.*",
        both,
        "Forbidden (may not specify more than 1 volume type)",
        "more than one source set: error at each extra source path",
      ],
      ...Object.keys(sources).filter((key) => key !== "hostPath").map((key) =>
        of(key === "cephfs" ? "cephFS" : key, "Forbidden", { hostPath: sources["hostPath"], [key]: sources[key] }, { [key]: sources[key] })
      ),
    ),
    partly(["volumes[i]", both, "Required (must specify a volume type)", "no source"], {
      all: "an empty directory is filled in before the check",
    }),
    ...sourceRules(place),
    rule(["name", both, "Required", "non-empty"], named("[0].name", "Required", [""], ["a"])),
    rule(["name", both, "Invalid", "dns1123Label"], named("[0].name", "Invalid", ["a.b"], ["a-b"])),
    rule(["name", both, "Duplicate", "unique among volumes"], named("[1].name", "Duplicate", ["a", "a"], ["a", "b"])),
    rule(
      ["emptyDir.sizeLimit", both, "Forbidden", ">= 0"],
      of("emptyDir.sizeLimit", "Forbidden", { emptyDir: { sizeLimit: "-1" } }, { emptyDir: { sizeLimit: "0" } }),
    ),
    needed("gitRepo.repository", { gitRepo: { repository: "" } }, { gitRepo: { repository: "a" } }),
    rule(
      ["gitRepo.directory", both, "Invalid", "relative, no .."],
      ...["/a", "a/../b"].map((directory) =>
        of("gitRepo.directory", "Invalid", { gitRepo: { repository: "a", directory } }, { gitRepo: { repository: "a", directory: "a/b" } })
      ),
    ),
    needed("secret.secretName", { secret: { secretName: "" } }, { secret: { secretName: "a" } }),
    mode("secret", { secretName: "a" }),
    needed("configMap.name", { configMap: { name: "" } }, { configMap: { name: "a" } }),
    mode("configMap", { name: "a" }),
    ...["key", "path"].map((key) => rule([`items[i].${key}`, both, "Required", "non-empty"], ...inItem(key, "Required", { [key]: "" }))),
    rule(
      ["items[i].path", both, "Invalid", "relative, no .. segment, not starting with .."],
      ...badPaths.flatMap((path) => inItem("path", "Invalid", { path }, { path: "a/b" })),
    ),
    rule(["items[i].mode", both, "Invalid", "fileMode"], ...inItem("mode", "Invalid", { mode: 512 }, { mode: 511 })),
    needed("persistentVolumeClaim.claimName", { persistentVolumeClaim: { claimName: "" } }, { persistentVolumeClaim: { claimName: "a" } }),
    partly(["persistentVolumeClaim.claimName", both, "Invalid", "not the claim generated for an ephemeral volume of same pod"], {
      all: "a template has no name from which such a claim would get its own",
    }),
    ...downwardRules,
    ...projectedRules(place),
    rule(
      ["csi.nodePublishSecretRef.name", both, "Required", "non-empty"],
      casesOf(place, "csi")("csi.nodePublishSecretRef.name", "Required", { nodePublishSecretRef: {} }, {
        nodePublishSecretRef: { name: "a" },
      }),
    ),
    rule(
      ["csi.name", both, "Invalid", "secret name format of nodePublishSecretRef.name (path quirk)"],
      casesOf(place, "csi")("csi.name", "Invalid", { nodePublishSecretRef: { name: "A b" } }, { nodePublishSecretRef: { name: "a" } }),
    ),
    rule(
      ["ephemeral.volumeClaimTemplate", both, "Required", "present"],
      of("ephemeral.volumeClaimTemplate", "Required", { ephemeral: {} }, ephemeral({})),
    ),
    rule(
      ["ephemeral.volumeClaimTemplate.metadata", both, "Forbidden (cannot be set)", "only labels and annotations"],
      of(
        "ephemeral.volumeClaimTemplate.metadata.name",
        "Forbidden",
        ephemeral({ metadata: { name: "a" } }),
        ephemeral({
          metadata: { labels: { a: "" }, annotations: { a: "" } },
        }),
      ),
    ),
    rule(
      ["ephemeral.volumeClaimTemplate.spec", both, "(see PVC)", "as PersistentVolumeClaim spec"],
      of(
        "ephemeral.volumeClaimTemplate.spec.accessModes",
        "Required",
        ephemeral({ spec: { ...claimSpec, accessModes: [] } }),
        ephemeral({}),
      ),
    ),
    partly(["name", both, "Invalid", "<pod>-<volume> must be dns1123Subdomain for ephemeral"], {
      all: "a template has no name that would go before that of the volume",
    }),
    partly(["image.reference", both, "Required", "non-empty for pods (not for templates)"], {
      all: "a template may omit the image",
    }),
    rule(
      ["image.pullPolicy", both, "NotSupported", "Always, IfNotPresent, Never"],
      of("image.pullPolicy", "NotSupported", { image: { reference: "a", pullPolicy: "Sometimes" } }, {
        image: { reference: "a", pullPolicy: "Never" },
      }),
    ),
  ],
};
