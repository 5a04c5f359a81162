import {
  ageColumn,
  boolean,
  type Column,
  defineResource,
  field,
  type FieldError,
  forbidden,
  type HookContext,
  type Infer,
  int32,
  invalid,
  nameColumn,
  object,
  record,
  required,
  type Resource,
  string,
  structsOf,
  type Subresource,
  time,
  tooLong,
} from "../../plugin.ts";
import { dns1123Subdomain, metaOfStatus, metaRulesOf, sameValue, utf8Length, validateObjectMeta } from "../../toolbox.ts";
import { validateCsiDriverName } from "../shared/csi-driver-name.ts";
import { PersistentVolumeSpec } from "../shared/volumes/mod.ts";
import { validatePersistentVolumeSpec } from "../shared/volumes/validate-persistent-volume.ts";
import { nodeCountGate } from "./gates.ts";
import { bound } from "../../core/bound.ts";

/** Bytes of all keys and values of the metadata of a volume attachment. */
export const attachmentMetadataBytesMax = bound(256 * 1024);
/** Bytes of the message of a volume error. */
export const volumeErrorBytesMax = bound(1024);

const home = "storage/v1";
const struct = structsOf(home);

const VolumeAttachmentSource = struct("VolumeAttachmentSource", {
  persistentVolumeName: field(1, string, "The name of the PersistentVolume.", { pointer: true }),
  inlineVolumeSpec: field(
    2,
    PersistentVolumeSpec,
    "A volume defined in a pod, translated to the form of the CSI driver that replaces its in-tree driver.",
    {
      pointer: true,
    },
  ),
}, { doc: "The volume to attach. Exactly one field must be set." });

const VolumeAttachmentSpec = struct("VolumeAttachmentSpec", {
  attacher: field(1, string, "The name of the driver that attaches the volume.", { required: true }),
  source: field(2, VolumeAttachmentSource, "The volume to attach.", { required: true }),
  nodeName: field(3, string, "The node to attach the volume to.", { required: true }),
}, { doc: "The specification of an attachment." });

const VolumeError = struct("VolumeError", {
  time: field(1, time, "The time of the error.", { written: "always" }),
  message: field(2, string, "Details of the error. It may be logged, so it must not contain secrets."),
  errorCode: field(3, int32, "The gRPC status code of the driver's response.", { pointer: true, gate: nodeCountGate }),
}, { doc: "An error of a volume operation." });
type VolumeError = Infer<typeof VolumeError>;

const VolumeAttachmentStatus = struct("VolumeAttachmentStatus", {
  attached: field(1, boolean, "Whether the volume is attached. Set by the external attacher only.", { required: true }),
  attachmentMetadata: field(2, record(string), "Data that must be passed to the driver in later mount and detach calls."),
  attachError: field(3, VolumeError, "The error of the last attach operation.", { pointer: true }),
  detachError: field(4, VolumeError, "The error of the last detach operation.", { pointer: true }),
}, { doc: "The status of an attachment." });
type VolumeAttachmentStatus = Infer<typeof VolumeAttachmentStatus>;

const VolumeAttachment = object("VolumeAttachment", {
  spec: field(2, VolumeAttachmentSpec, "The volume, the node and the driver. Immutable.", { required: true }),
  status: field(3, VolumeAttachmentStatus, "The status of the attachment. Set by the external attacher.", { written: "always" }),
}, {
  package: home,
  doc: "A request to attach a volume to a node. The attach-detach controller creates it, and the driver's external attacher executes it.",
});
type VolumeAttachment = Infer<typeof VolumeAttachment>;

const columns: readonly Column<VolumeAttachment>[] = [
  nameColumn,
  {
    name: "Attacher",
    type: "string",
    format: "name",
    description: "The driver that attaches the volume.",
    cell: ({ spec }) => spec.attacher,
  },
  {
    name: "PV",
    type: "string",
    description: "The volume to attach.",
    cell: ({ spec }) => spec.source.persistentVolumeName ?? "",
  },
  {
    name: "Node",
    type: "string",
    description: "The node that gets the volume.",
    cell: ({ spec }) => spec.nodeName,
  },
  {
    name: "Attached",
    type: "boolean",
    description: "Whether the driver has attached the volume.",
    cell: ({ status }) => status.attached,
  },
  ageColumn,
];

function validateSpec({ spec }: VolumeAttachment): readonly FieldError[] {
  return [
    ...validateCsiDriverName(spec.attacher, "spec.attacher"),
    ...validateSource(spec.source),
    ...dns1123Subdomain(spec.nodeName).map((wrong) => invalid("spec.nodeName", spec.nodeName, wrong)),
  ];
}
const oneSource = "must specify exactly one of inlineVolumeSpec and persistentVolumeName";
function validateSource({ persistentVolumeName, inlineVolumeSpec }: Infer<typeof VolumeAttachmentSource>): readonly FieldError[] {
  if (persistentVolumeName !== undefined && inlineVolumeSpec !== undefined) return [forbidden("spec.source", oneSource)];
  if (persistentVolumeName !== undefined) {
    return persistentVolumeName === "" ? [required("spec.source.persistentVolumeName", "must specify non empty persistentVolumeName")] : [];
  }
  if (inlineVolumeSpec === undefined) return [required("spec.source", oneSource)];
  // volumeAttributesClassName is not validated for inline volumes, as upstream.
  return validatePersistentVolumeSpec(inlineVolumeSpec, "spec.source.inlineVolumeSpec", { name: "", attributesClass: false, inline: true });
}

function validateStatus({ attachmentMetadata = {}, attachError, detachError }: VolumeAttachmentStatus): readonly FieldError[] {
  let bytes = 0;
  for (const [key, value] of Object.entries(attachmentMetadata)) bytes += utf8Length(key) + utf8Length(value);
  return [
    ...(bytes > attachmentMetadataBytesMax ? [tooLong("status.attachmentMetadata", attachmentMetadataBytesMax)] : []),
    ...validateError(attachError, "status.attachError"),
    ...validateError(detachError, "status.detachError"),
  ];
}
const errorCodeMax = 2 ** 31 - 1;
function validateError(error: VolumeError | undefined, path: string): readonly FieldError[] {
  const { message = "", errorCode = 0 } = error ?? {};
  return [
    // Upstream's message has the limit of the metadata instead of the message's.
    ...(utf8Length(message) > volumeErrorBytesMax ? [tooLong(`${path}.message`, attachmentMetadataBytesMax)] : []),
    ...(errorCode < 0 ? [invalid(`${path}.errorCode`, errorCode, `must be between 0 and ${errorCodeMax}, inclusive`)] : []),
  ];
}

function validateVolumeName({ spec: { source: { persistentVolumeName: name } } }: VolumeAttachment): readonly FieldError[] {
  return name === undefined ? [] : dns1123Subdomain(name).map((wrong) => invalid("spec.source.persistentVolumeName", name, wrong));
}

function validateUpdate(next: VolumeAttachment, prior: VolumeAttachment, context: HookContext): readonly FieldError[] {
  return [
    ...validateObjectMeta(next.metadata, metaRulesOf(volumeAttachments, context.names)),
    ...validateSpec(next),
    ...validateStatus(next.status),
    ...validateVolumeName(next),
    ...(sameValue(next.spec, prior.spec) ? [] : [invalid("spec", next.spec, "field is immutable")]),
  ];
}

const status: Subresource<VolumeAttachment> = {
  leaves: ["metadata", "spec"],
  // Only the status and, through metaOfStatus, the managed fields are taken from the request.
  write: (next, prior) => ({ ...prior, metadata: metaOfStatus(next.metadata, prior.metadata), status: next.status }),
  update: validateUpdate,
};

export const volumeAttachments: Resource<VolumeAttachment> = defineResource({
  kind: "VolumeAttachment",
  scope: "Cluster",
  summary: "A request to attach a volume to a node, and its status.",
  storedAs: "storage.{domain}/v1",
  storedUnder: "volumeattachments",
  served: { "storage.{domain}/v1": { schema: VolumeAttachment, introduced: "1.13", columns, subresources: { status } } },
  strategy: { unconditionalUpdate: false, deleteAnswers: "object", coreFinalizers: true },
  prepare: (next, prior) => ({ ...next, status: prior?.status ?? { attached: false } }),
  create: (next) => [...validateSpec(next), ...validateStatus(next.status), ...validateVolumeName(next)],
  update: validateUpdate,
});
