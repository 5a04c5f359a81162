/** PersistentVolumeClaims and their volumes: a claim gets a volume that fits, or one that is made for it (upstream: pkg/controller/volume/persistentvolume). */
import { objectKey } from "../../../plugin.ts";
import { compareQuantities, selectsLabels } from "../../../toolbox.ts";
import { selectedNode } from "../scheduler/claims.ts";
import type { Reconciler } from "../world/reconciler.ts";
import type { World } from "../world/world.ts";
import { followAll } from "../workloads/owner-keys.ts";

type Claim = NonNullable<ReturnType<World["persistentVolumeClaims"]["at"]>>;
type Volume = NonNullable<ReturnType<World["persistentVolumes"]["at"]>>;
type StorageClass = NonNullable<ReturnType<World["storageClasses"]["at"]>>;

const boundAnnotation = "pv.kubernetes.io/bind-completed", byControllerAnnotation = "pv.kubernetes.io/bound-by-controller";
const provisionedAnnotation = "pv.kubernetes.io/provisioned-by";
/** The provisioner of classes that have volumes made in advance only. */
const noProvisioner = "kubernetes.io/no-provisioner";

/** Binds claims. */
export const claimReconciler: Reconciler = {
  name: "persistentvolumeclaim",
  follow(world, add) {
    followAll(world.persistentVolumeClaims, add);
    const waiting = () => {
      for (const claim of world.persistentVolumeClaims.all()) if (claim.status.phase !== "Bound") add(objectKey(claim));
    };
    world.persistentVolumes.listen((next, before) => {
      if (next !== undefined) return waiting();
      const { namespace = "", name = "" } = before?.spec.claimRef ?? {};
      if (name !== "") add(objectKey({ metadata: { namespace, name } }));
    });
    world.storageClasses.listen(waiting);
  },
  async reconcile(world, key) {
    const claim = world.persistentVolumeClaims.at(key);
    if (claim === undefined || claim.metadata.deletionTimestamp !== undefined) return;
    const volume = (claim.spec.volumeName ?? "") === ""
      ? await volumeFor(world, claim)
      : world.persistentVolumes.get("", claim.spec.volumeName ?? "");
    if (volume !== undefined && isFreeFor(claim, volume)) await bind(world, claim, volume);
    else if (volume === undefined && claim.status.phase === "Bound") await lose(world, claim);
  },
};

/** Releases and deletes volumes whose claim is gone. */
export const volumeReconciler: Reconciler = {
  name: "persistentvolume",
  follow(world, add) {
    followAll(world.persistentVolumes, add);
    world.persistentVolumeClaims.listen((next, before) => {
      const name = before?.spec.volumeName ?? "";
      if (next === undefined && name !== "") add(objectKey({ metadata: { name } }));
    });
  },
  async reconcile(world, key) {
    const volume = world.persistentVolumes.at(key);
    if (volume === undefined || volume.metadata.deletionTimestamp !== undefined) return;
    const reference = volume.spec.claimRef ?? undefined, { phase } = volume.status;
    if (reference === undefined) return phase === "Available" ? undefined : await setPhase(world, volume, "Available");
    if ((reference.uid ?? "") === "") return;
    const claim = world.persistentVolumeClaims.get(reference.namespace ?? "", reference.name ?? "");
    if (claim?.metadata.uid === reference.uid) return;
    const isMade = volume.metadata.annotations?.[provisionedAnnotation] !== undefined;
    // A bound volume is protected: it is released first.
    if (phase !== "Released") await setPhase(world, volume, "Released");
    else if (volume.spec.persistentVolumeReclaimPolicy === "Delete" && isMade) await world.persistentVolumes.delete(volume);
  },
};

async function setPhase(world: World, volume: Volume, phase: "Available" | "Bound" | "Released"): Promise<void> {
  await world.persistentVolumes.updateStatus({ ...volume, status: { ...volume.status, phase } } as Volume);
}

const isFreeFor = ({ metadata }: Claim, { spec }: Volume): boolean => {
  const { claimRef } = spec;
  if (claimRef === undefined || claimRef === null) return true;
  return claimRef.namespace === metadata.namespace && claimRef.name === metadata.name && ["", metadata.uid].includes(claimRef.uid ?? "");
};

/** The volume for a claim: one that fits, or a new one. Undefined while the claim must wait. */
async function volumeFor(world: World, claim: Claim): Promise<Volume | undefined> {
  const name = claim.spec.storageClassName ?? "", found = fittingVolume(world, claim);
  const storageClass = name === "" ? undefined : world.storageClasses.get("", name);
  const isWaiting = storageClass?.volumeBindingMode === "WaitForFirstConsumer" &&
    claim.metadata.annotations?.[selectedNode] === undefined;
  if (isWaiting) return undefined;
  if (found !== undefined) return found;
  return storageClass === undefined || storageClass.provisioner === noProvisioner
    ? undefined
    : await makeVolume(world, claim, storageClass);
}

/** The smallest volume that fits: reserved for the claim, or free, and of the class, the access modes, the labels and the size that the claim wants. */
function fittingVolume(world: World, claim: Claim): Volume | undefined {
  const { spec } = claim, wanted = spec.resources?.requests?.["storage"] ?? "0", selector = spec.selector ?? undefined;
  const fits = (volume: Volume) =>
    volume.metadata.deletionTimestamp === undefined && (volume.spec.storageClassName ?? "") === (spec.storageClassName ?? "") &&
    (volume.spec.volumeMode ?? "Filesystem") === (spec.volumeMode ?? "Filesystem") &&
    (volume.spec.volumeAttributesClassName ?? "") === (spec.volumeAttributesClassName ?? "") &&
    (spec.accessModes ?? []).every((mode) => volume.spec.accessModes?.includes(mode)) &&
    (selector === undefined || selectsLabels(selector, volume.metadata.labels ?? {})) && compareQuantities(sizeOf(volume), wanted) >= 0;
  const free = [...world.persistentVolumes.all()].filter((volume) => isFreeFor(claim, volume));
  const reserved = free.find(({ spec: { claimRef } }) => claimRef !== undefined && claimRef !== null);
  return reserved ?? free.filter(fits).sort((a, b) => compareQuantities(sizeOf(a), sizeOf(b)))[0];
}

const sizeOf = ({ spec }: Volume): string => spec.capacity?.["storage"] ?? "0";

async function makeVolume(world: World, claim: Claim, { metadata, provisioner, reclaimPolicy }: StorageClass): Promise<Volume> {
  const { name = "", namespace = "", uid = "" } = claim.metadata, { accessModes, volumeMode, resources } = claim.spec;
  const volume = `pvc-${uid}`, known = world.persistentVolumes.get("", volume);
  if (known !== undefined) return known;
  const made = await world.persistentVolumes.create("", {
    metadata: { name: volume, annotations: { [provisionedAnnotation]: provisioner } },
    spec: {
      capacity: { storage: resources?.requests?.["storage"] ?? "0" },
      accessModes,
      volumeMode,
      ...((claim.spec.volumeAttributesClassName ?? "") === "" ? {} : { volumeAttributesClassName: claim.spec.volumeAttributesClassName }),
      persistentVolumeReclaimPolicy: reclaimPolicy ?? "Delete",
      storageClassName: metadata.name,
      claimRef: { apiVersion: "v1", kind: "PersistentVolumeClaim", name, namespace, uid },
      csi: { driver: provisioner.replaceAll("/", "."), volumeHandle: volume },
    },
    status: {},
  } as unknown as Volume);
  const note = `Successfully provisioned volume ${volume}`;
  world.context.events.record(claim, { type: "Normal", reason: "ProvisioningSucceeded", action: "Provisioning", note });
  return made;
}

/** The claim of a volume that was deleted although it was bound. */
async function lose(world: World, claim: Claim): Promise<void> {
  await world.persistentVolumeClaims.updateStatus({ ...claim, status: { ...claim.status, phase: "Lost" } } as Claim);
  const note = "Bound claim has lost its PersistentVolume. Data on the volume is lost!";
  world.context.events.record(claim, { type: "Warning", reason: "ClaimLost", action: "Binding", note });
}

/** Writes the volume's side first, then the claim's: a crash between them is put right by the next look. */
async function bind(world: World, claim: Claim, volume: Volume): Promise<void> {
  const { name = "", namespace = "", uid = "", resourceVersion = "" } = claim.metadata;
  let held = volume;
  if (volume.spec.claimRef?.uid !== uid) {
    const claimRef = { apiVersion: "v1", kind: "PersistentVolumeClaim", name, namespace, uid, resourceVersion };
    const annotations = { ...volume.metadata.annotations, [byControllerAnnotation]: "yes" };
    held = await world.persistentVolumes.update({
      ...volume,
      metadata: { ...volume.metadata, annotations },
      spec: { ...volume.spec, claimRef },
    } as Volume);
  }
  if (held.status.phase !== "Bound") await setPhase(world, held, "Bound");
  let owned = claim;
  if (claim.spec.volumeName !== volume.metadata.name || claim.metadata.annotations?.[boundAnnotation] === undefined) {
    const byController: Readonly<Record<string, string>> = (claim.spec.volumeName ?? "") === "" ? { [byControllerAnnotation]: "yes" } : {};
    const annotations = { ...claim.metadata.annotations, [boundAnnotation]: "yes", ...byController };
    owned = await world.persistentVolumeClaims.update({
      ...claim,
      metadata: { ...claim.metadata, annotations },
      spec: { ...claim.spec, volumeName: volume.metadata.name ?? "" },
    });
  }
  if (owned.status.phase === "Bound") return;
  const { accessModes, capacity, volumeAttributesClassName: attributes } = volume.spec;
  const status = {
    ...owned.status,
    phase: "Bound",
    accessModes,
    capacity,
    ...((attributes ?? "") === "" ? {} : { currentVolumeAttributesClassName: attributes }),
  };
  await world.persistentVolumeClaims.updateStatus({ ...owned, status } as Claim);
}
