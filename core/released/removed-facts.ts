/** Feature gates that kube-apiserver had and removed, by release. Data only; `removed.ts` uses it. */
import type { Release } from "../releases.ts";

/**
 * Removed feature gates by release, from the lists of gates of releases 1.13 to 1.35. "on": the feature became permanent. "gone": the
 * feature, or the choice, was removed.
 */
export const removedGates: readonly (readonly [Release, "on" | "gone", gates: string])[] = Object.freeze([
  ["1.14", "on", "MountPropagation"],
  ["1.14", "gone", "EnableEquivalenceClassCache Initializers"],
  ["1.16", "on", "CSIPersistentVolume CustomPodDNS HugePages KubeletPluginsWatcher PodReadinessGates VolumeScheduling"],
  ["1.16", "gone", "DebugContainers ExperimentalCriticalPodAnnotation"],
  ["1.17", "on", "EnableAggregatedDiscoveryTimeout GCERegionalPersistentDisk PersistentLocalVolumes"],
  ["1.17", "gone", "MountContainers"],
  [
    "1.18",
    "on",
    "CustomResourceDefaulting CustomResourcePublishOpenAPI CustomResourceSubresources CustomResourceValidation CustomResourceWebhookConversion PodPriority ResourceQuotaScopeSelectors ScheduleDaemonSetPods TaintNodesByCondition",
  ],
  ["1.19", "on", "PodShareProcessNamespace VolumeSubpathEnvExpansion"],
  ["1.19", "gone", "DynamicAuditing ResourceLimitsPriorityFunction"],
  ["1.20", "on", "DefaultIngressClass ServiceLoadBalancerFinalizer SupportIPVSProxyMode TaintBasedEvictions"],
  [
    "1.21",
    "on",
    "AttachVolumeLimit BlockVolume CSIBlockVolume CSIDriverRegistry CSINodeInfo EvenPodsSpread RotateKubeletClientCertificate TokenRequest TokenRequestProjection VolumePVCDataSource WindowsGMSA WindowsRunAsUserName",
  ],
  [
    "1.21",
    "gone",
    "CSIMigrationAWSComplete CSIMigrationAzureDiskComplete CSIMigrationAzureFileComplete CSIMigrationGCEComplete CSIMigrationOpenStackComplete HyperVContainer",
  ],
  [
    "1.22",
    "on",
    "CRIContainerLogRotation ExternalPolicyForExternalIP NodeDisruptionExclusion RootCAConfigMap RunAsGroup SCTPSupport ServiceAppProtocol ServiceNodeExclusion VolumeSnapshotDataSource",
  ],
  ["1.22", "gone", "BalanceAttachedNodeVolumes CSIMigrationvSphereComplete LegacyNodeRoleBehavior ServiceTopology"],
  [
    "1.23",
    "on",
    "AllowInsecureBackendProxy BoundServiceAccountTokenVolume CronJobControllerV2 NodeLease ServiceAccountIssuerDiscovery StartupProbe SupportNodePidsLimit SupportPodPidsLimit Sysctls",
  ],
  [
    "1.24",
    "on",
    "HugePageStorageMediumSize ImmutableEphemeralVolumes NamespaceDefaultLabelName RuntimeClass SetHostnameAsFQDN ValidateProxyRedirects WarningHeaders",
  ],
  ["1.24", "gone", "StreamingProxyRedirects"],
  [
    "1.25",
    "on",
    "CSIServiceAccountToken CSIVolumeFSGroupPolicy ConfigurableFSGroupPolicy EndpointSlice EndpointSliceNodeName EndpointSliceProxying GenericEphemeralVolume IPv6DualStack IngressClassNamespacedParams PodDisruptionBudget SelectorIndex StorageObjectInUseProtection TTLAfterFinished VolumeSubpath WindowsEndpointSliceProxying",
  ],
  [
    "1.26",
    "on",
    "CSIMigrationOpenStack CSRDuration DefaultPodTopologySpread IndexedJob NonPreemptingPriority PodAffinityNamespaceSelector PodOverhead PreferNominatedNode ServiceLBNodePortControl ServiceLoadBalancerClass SuspendJob",
  ],
  ["1.26", "gone", "DynamicKubeletConfig"],
  [
    "1.27",
    "on",
    "CSIInlineVolume CSIMigration CSIMigrationAWS CSIMigrationAzureDisk ControllerManagerLeaderMigration DaemonSetUpdateSurge EphemeralContainers ExpandCSIVolumes ExpandInUsePersistentVolumes ExpandPersistentVolumes IdentifyPodOS LocalStorageCapacityIsolation NetworkPolicyEndPort StatefulSetMinReadySeconds",
  ],
  [
    "1.28",
    "on",
    "AdvancedAuditing CSIMigrationGCE CSIStorageCapacity DelegateFSGroupToCSIDriver DevicePlugins DisableAcceleratorUsageMetrics DryRun EndpointSliceTerminatingCondition KubeletCredentialProviders MixedProtocolLBService PodSecurity ServiceIPStaticSubrange ServiceInternalTrafficPolicy WindowsHostProcessContainers",
  ],
  ["1.28", "gone", "NetworkPolicyStatus PodHasNetworkCondition UserNamespacesStatelessPodsSupport"],
  [
    "1.29",
    "on",
    "CSIMigrationvSphere CronJobTimeZone DownwardAPIHugePages GRPCContainerProbe JobMutableNodeSchedulingDirectives JobTrackingWithFinalizers LegacyServiceAccountTokenNoAutoGeneration OpenAPIV3 ProbeTerminationGracePeriod RetroactiveDefaultStorageClass SeccompDefault TopologyManager",
  ],
  ["1.29", "gone", "MultiCIDRRangeAllocator"],
  [
    "1.30",
    "on",
    "APISelfSubjectReview CSIMigrationAzureFile ExpandedDNSConfig IPTablesOwnershipCleanup KubeletPodResources KubeletPodResourcesGetAllocatable LegacyServiceAccountTokenTracking MinimizeIPTablesRestore ProxyTerminatingEndpoints RemoveSelfLink",
  ],
  ["1.30", "gone", "ExperimentalHostUserNamespaceDefaulting SecurityContextDeny"],
  [
    "1.31",
    "on",
    "APIPriorityAndFairness CSINodeExpandSecret ConsistentHTTPGetHandlers CustomResourceValidationExpressions JobReadyPods ReadWriteOncePod ServiceNodePortStaticSubrange SkipReadOnlyValidationGCE",
  ],
  [
    "1.31",
    "gone",
    "CSIMigrationRBD DefaultHostNetworkHostPortsInPodTemplates InTreePluginAWSUnregister InTreePluginAzureDiskUnregister InTreePluginAzureFileUnregister InTreePluginGCEUnregister InTreePluginOpenStackUnregister InTreePluginRBDUnregister InTreePluginvSphereUnregister",
  ],
  [
    "1.32",
    "on",
    "CloudDualStackNodeIPs HPAContainerMetrics KMSv2 KMSv2KDF LegacyServiceAccountTokenCleanUp MinDomainsInPodTopologySpread NewVolumeManagerReconstruction NodeOutOfServiceVolumeDetach PodHostIPs ServerSideApply ServerSideFieldValidation StableLoadBalancerNodeSet ValidatingAdmissionPolicy ZeroLimitedNominalConcurrencyShares",
  ],
  ["1.32", "gone", "DRAControlPlaneController"],
  [
    "1.33",
    "on",
    "APIListChunking AdmissionWebhookMatchConditions AggregatedDiscoveryEndpoint AppArmor AppArmorFields CPUManager DisableCloudProviders DisableKubeletCloudCredentialProviders EfficientWatchResumption JobPodFailurePolicy KubeProxyDrainingTerminatingNodes PDBUnhealthyPodEvictionPolicy PersistentVolumeLastPhaseTransitionTime RemainingItemCount WatchBookmark",
  ],
  ["1.33", "gone", "VolumeCapacityPriority"],
  ["1.34", "on", "DevicePluginCDIDevices ElasticIndexedJob PodDisruptionConditions StatefulSetStartOrdinal"],
  ["1.34", "gone", "LegacySidecarContainers"],
  [
    "1.35",
    "on",
    "CronJobsScheduledAnnotation LoadBalancerIPMode PodIndexLabel ProbeHostPodSecurityStandards SizeMemoryBackedVolumes StatefulSetAutoDeletePVC StrictCostEnforcementForVAP StrictCostEnforcementForWebhooks",
  ],
  ["1.35", "gone", "AllowServiceLBStatusOnNonLB UserNamespacesPodSecurityStandards"],
]);
