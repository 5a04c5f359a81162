/** The tables of rules. A served kind with rules in the reference but without a table fails the test beside this file. */
import { localSubjectAccessReview, selfSubjectAccessReview, selfSubjectRulesReview, subjectAccessReview } from "./kinds/access-review.ts";
import { configMap } from "./kinds/config-map.ts";
import { csiDriver } from "./kinds/csi-driver.ts";
import { csiNode } from "./kinds/csi-node.ts";
import { csiStorageCapacity, labelSelector } from "./kinds/csi-storage-capacity.ts";
import { coreEvent, event } from "./kinds/event.ts";
import { lease } from "./kinds/lease.ts";
import { namespace } from "./kinds/namespace.ts";
import { objectMeta, objectMetaByStatus } from "./kinds/object-meta.ts";
import { persistentVolume } from "./kinds/persistent-volume.ts";
import { persistentVolumeClaim } from "./kinds/persistent-volume-claim.ts";
import { clusterRole, clusterRoleBinding, role, roleBinding } from "./kinds/rbac.ts";
import { secret } from "./kinds/secret.ts";
import { storageClass, volumeAttributesClass } from "./kinds/storage-class.ts";
import { alphaStorageVersionMigration, conditions, storageVersionMigration } from "./kinds/storage-version-migration.ts";
import { embeddedVolume } from "./kinds/volume.ts";
import { inlineVariant, volumeAttachment } from "./kinds/volume-attachment.ts";
import { selfSubjectReview, serviceAccount, tokenReview } from "./kinds/without-rules.ts";
import type { KindRules } from "./rule.ts";

export const tables: readonly KindRules[] = [
  objectMeta,
  labelSelector,
  conditions,
  configMap,
  secret,
  namespace,
  serviceAccount,
  coreEvent,
  event,
  lease,
  csiDriver,
  csiNode,
  csiStorageCapacity,
  volumeAttachment,
  inlineVariant,
  embeddedVolume,
  persistentVolume,
  persistentVolumeClaim,
  storageClass,
  volumeAttributesClass,
  storageVersionMigration,
  alphaStorageVersionMigration,
  selfSubjectReview,
  tokenReview,
  role,
  clusterRole,
  roleBinding,
  clusterRoleBinding,
  subjectAccessReview,
  selfSubjectAccessReview,
  localSubjectAccessReview,
  selfSubjectRulesReview,
];

/** Rules of the tables above that are also tested on another kind. */
export const again: readonly KindRules[] = [objectMetaByStatus];

/** Flags of a server that serves all of them in the reference's form. */
export const serverArgs: readonly string[] = [
  "--feature-gates=CoordinatedLeaderElection=true,CrossNamespaceVolumeDataSource=true,ClusterTrustBundle=true,ClusterTrustBundleProjection=true,PodCertificateRequest=true",
  "--runtime-config=storagemigration.k8s.io/v1beta1=true,storagemigration.k8s.io/v1alpha1=true",
];
