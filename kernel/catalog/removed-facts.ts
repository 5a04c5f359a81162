/** Features that kube-apiserver had and removed, by release. Data only; `removed.ts` uses it. */
import type { GroupVersion } from "../../core/versions.ts";
import type { Release } from "../../core/plugin.ts";

/** Resources that a group version lost in a release, and their replacements. A group version is removed with its last resource. */
export const removedResources: readonly (readonly [Release, GroupVersion, resources: string, use: string])[] = Object.freeze([
  ["1.32", "flowcontrol.{domain}/v1beta3", "flowschemas prioritylevelconfigurations", "flowcontrol.{domain}/v1"],
  ["1.32", "flowcontrol.apiserver.{domain}/v1beta3", "flowschemas prioritylevelconfigurations", "flowcontrol.apiserver.{domain}/v1"],
  ["1.29", "flowcontrol.{domain}/v1beta2", "flowschemas prioritylevelconfigurations", "flowcontrol.{domain}/v1"],
  ["1.29", "flowcontrol.apiserver.{domain}/v1beta2", "flowschemas prioritylevelconfigurations", "flowcontrol.apiserver.{domain}/v1"],
  ["1.27", "storage.{domain}/v1beta1", "csistoragecapacities", "storage.{domain}/v1"],
  ["1.26", "flowcontrol.{domain}/v1beta1", "flowschemas prioritylevelconfigurations", "flowcontrol.{domain}/v1"],
  ["1.26", "flowcontrol.apiserver.{domain}/v1beta1", "flowschemas prioritylevelconfigurations", "flowcontrol.apiserver.{domain}/v1"],
  ["1.26", "autoscaling/v2beta2", "horizontalpodautoscalers", "autoscaling/v2"],
  ["1.25", "batch/v1beta1", "cronjobs", "batch/v1"],
  ["1.25", "discovery.{domain}/v1beta1", "endpointslices", "discovery.{domain}/v1"],
  ["1.25", "events.{domain}/v1beta1", "events", "events.{domain}/v1"],
  ["1.25", "autoscaling/v2beta1", "horizontalpodautoscalers", "autoscaling/v2"],
  ["1.25", "policy/v1beta1", "poddisruptionbudgets", "policy/v1"],
  ["1.25", "policy/v1beta1", "podsecuritypolicies", "pod security admission"],
  ["1.25", "node.{domain}/v1beta1", "runtimeclasses", "node.{domain}/v1"],
  [
    "1.22",
    "admissionregistration.{domain}/v1beta1",
    "mutatingwebhookconfigurations validatingwebhookconfigurations",
    "admissionregistration.{domain}/v1",
  ],
  ["1.22", "apiextensions.{domain}/v1beta1", "customresourcedefinitions", "apiextensions.{domain}/v1"],
  ["1.22", "apiregistration.{domain}/v1beta1", "apiservices", "apiregistration.{domain}/v1"],
  ["1.22", "authentication.{domain}/v1beta1", "tokenreviews", "authentication.{domain}/v1"],
  [
    "1.22",
    "authorization.{domain}/v1beta1",
    "localsubjectaccessreviews selfsubjectaccessreviews selfsubjectrulesreviews subjectaccessreviews",
    "authorization.{domain}/v1",
  ],
  ["1.22", "certificates.{domain}/v1beta1", "certificatesigningrequests", "certificates.{domain}/v1"],
  ["1.22", "coordination.{domain}/v1beta1", "leases", "coordination.{domain}/v1"],
  ["1.22", "extensions/v1beta1", "ingresses", "networking.{domain}/v1"],
  ["1.22", "networking.{domain}/v1beta1", "ingresses ingressclasses", "networking.{domain}/v1"],
  [
    "1.22",
    "rbac.authorization.{domain}/v1beta1",
    "clusterroles clusterrolebindings roles rolebindings",
    "rbac.authorization.{domain}/v1",
  ],
  ["1.22", "scheduling.{domain}/v1beta1", "priorityclasses", "scheduling.{domain}/v1"],
  ["1.22", "storage.{domain}/v1beta1", "csidrivers csinodes storageclasses volumeattachments", "storage.{domain}/v1"],
  ["1.21", "batch/v2alpha1", "cronjobs", "batch/v1"],
  ["1.20", "settings.{domain}/v1alpha1", "podpresets", "an admission webhook"],
  ["1.19", "auditregistration.{domain}/v1alpha1", "auditsinks", "--audit-webhook-config-file"],
  ["1.16", "extensions/v1beta1", "networkpolicies", "networking.{domain}/v1"],
  ["1.16", "extensions/v1beta1", "daemonsets deployments replicasets", "apps/v1"],
  ["1.16", "extensions/v1beta1", "podsecuritypolicies", "pod security admission"],
  ["1.16", "apps/v1beta2", "daemonsets deployments replicasets statefulsets", "apps/v1"],
  ["1.16", "apps/v1beta1", "deployments statefulsets", "apps/v1"],
]);

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
  ["1.32", "gone", "CloudControllerManagerWebhook DRAControlPlaneController"],
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
