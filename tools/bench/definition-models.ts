/**
 * Definitions of the size and shape of those that large projects publish: certificates, monitors with pod templates, routes, resources of
 * clouds, machines, policies. They are made from plain descriptions, and the same for the same number.
 */

type Schema = { readonly [key: string]: unknown };
type Members = Readonly<Record<string, Schema>>;

const text = (description: string, more: Schema = {}): Schema => ({ description, type: "string", ...more });
const whole = (description: string, more: Schema = {}): Schema => ({ description, type: "integer", format: "int32", ...more });
const flag = (description: string): Schema => ({ description, type: "boolean" });
const list = (description: string, items: Schema, more: Schema = {}): Schema => ({ description, type: "array", items, ...more });
const map = (description: string, additionalProperties: Schema): Schema => ({ description, type: "object", additionalProperties });
const struct = (description: string, properties: Members, required: readonly string[] = []): Schema => ({
  description,
  type: "object",
  properties,
  ...(required.length === 0 ? {} : { required }),
});
const words = list("Texts in the order in which they are used.", { type: "string" }, { "x-kubernetes-list-type": "atomic" });
const quantity: Schema = {
  description: "An amount with an optional unit, such as 500m or 2Gi.",
  anyOf: [{ type: "integer" }, { type: "string" }],
  pattern: "^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$",
  "x-kubernetes-int-or-string": true,
};
const duration = (description: string) => text(description, { pattern: "^([0-9]+(ms|s|m|h))+$" });
const reference = (what: string): Schema =>
  struct(`Refers to ${what}.`, {
    name: text(`Name of ${what}, in the namespace of the object unless another is given.`, { minLength: 1, maxLength: 253 }),
    namespace: text("Namespace of the referenced object. Default: the namespace of this object."),
    kind: text("Kind of the referenced object."),
    group: text("API group of the referenced object."),
  }, ["name"]);
const keySelector = (what: string): Schema => ({
  ...struct(`Selects one key of ${what} in the namespace of the object.`, {
    name: text(`Name of ${what}. It may be empty for compatibility with earlier versions.`, { default: "" }),
    key: text("The key whose value is used. It must be a valid key."),
    optional: flag("Whether the object and the key may be missing."),
  }, ["key"]),
  "x-kubernetes-map-type": "atomic",
});
const labelSelector: Schema = {
  ...struct("Selects objects by their labels. An empty selector selects all, none is selected without one.", {
    matchExpressions: list(
      "Requirements that all must be met.",
      struct("A requirement for the value of one label.", {
        key: text("The label that the requirement applies to."),
        operator: text("How the value relates to the values: In, NotIn, Exists or DoesNotExist."),
        values: words,
      }, ["key", "operator"]),
      { "x-kubernetes-list-type": "atomic" },
    ),
    matchLabels: map("Labels and the values that they must have.", { type: "string" }),
  }),
  "x-kubernetes-map-type": "atomic",
};
const conditions = list(
  "The latest observations of the state of the object.",
  struct("One aspect of the state of the object.", {
    type: text("Type of the condition in CamelCase.", {
      maxLength: 316,
      pattern: "^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$",
    }),
    status: text("Status of the condition.", { enum: ["True", "False", "Unknown"] }),
    reason: text("Machine-readable reason of the last change.", { minLength: 1, maxLength: 1024 }),
    message: text("Human-readable details of the last change.", { maxLength: 32768 }),
    lastTransitionTime: text("When the status changed last.", { format: "date-time" }),
    observedGeneration: { ...whole("Generation of the object that the condition is based on.", { minimum: 0 }), format: "int64" },
  }, ["type", "status"]),
  { "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["type"] },
);
const resources = struct("Computing resources that are requested and limited.", {
  limits: map("The largest amounts that may be used.", quantity),
  requests: map("The amounts that are set aside.", quantity),
});

function nodeTerms(): Schema {
  const requirement = struct("A requirement for a label of the node.", {
    key: text("The label."),
    operator: text("In, NotIn, Exists, DoesNotExist, Gt or Lt."),
    values: words,
  }, ["key", "operator"]);
  return struct("A term that matches nodes by labels and fields. An empty term matches none.", {
    matchExpressions: list("Requirements for labels.", requirement),
    matchFields: list("Requirements for fields.", requirement),
  });
}
function podTerm(): Schema {
  return struct("Selects the pods that the placement relates to.", {
    labelSelector,
    namespaceSelector: labelSelector,
    namespaces: words,
    matchLabelKeys: words,
    topologyKey: text("Label of the nodes that are one place if its value is the same."),
  }, ["topologyKey"]);
}
function weighted(what: string, key: string, term: Schema): Schema {
  const weight = whole("Weight of the term.", { minimum: 1, maximum: 100 });
  return struct(`Prefers or requires places by ${what}.`, {
    preferredDuringSchedulingIgnoredDuringExecution: list(
      "Preferred.",
      struct("A weighted term.", { weight, [key]: term }, ["weight", key]),
    ),
    requiredDuringSchedulingIgnoredDuringExecution: list("Required.", term),
  });
}
function probe(what: string): Schema {
  const port: Schema = {
    anyOf: [{ type: "integer" }, { type: "string" }],
    "x-kubernetes-int-or-string": true,
    description: "Number or name of the port.",
  };
  return struct(`Checks periodically whether the container is ${what}.`, {
    exec: struct("A command whose exit code is the result.", { command: words }),
    httpGet: struct("A request whose status is the result.", {
      host: text("Name of the host. Default: the address of the pod."),
      path: text("Path of the request."),
      port,
      scheme: text("Scheme of the request. Default: HTTP."),
      httpHeaders: list(
        "Headers of the request.",
        struct("A header.", { name: text("Its name."), value: text("Its value.") }, ["name", "value"]),
      ),
    }, ["port"]),
    tcpSocket: struct("A connection whose success is the result.", { host: text("Name of the host."), port }, ["port"]),
    ...Object.fromEntries(
      ["initialDelaySeconds", "periodSeconds", "timeoutSeconds", "successThreshold", "failureThreshold"].map((name) => [
        name,
        whole(`The ${name} of the check: a positive number.`, { minimum: 0 }),
      ]),
    ),
  });
}
function container(): Schema {
  return struct("A container of the pod.", {
    name: text("Name of the container, a DNS label, unique in the pod."),
    image: text("Name of the image. It may be omitted where a controller sets it."),
    imagePullPolicy: text("When the image is pulled: Always, Never or IfNotPresent."),
    command: words,
    args: words,
    workingDir: text("Working directory of the container."),
    env: list(
      "Environment variables.",
      struct("An environment variable.", {
        name: text("Its name."),
        value: text("Its value. References to other variables are expanded."),
        valueFrom: struct("The source of its value.", {
          configMapKeyRef: keySelector("a ConfigMap"),
          secretKeyRef: keySelector("a Secret"),
          fieldRef: struct("A field of the pod.", { apiVersion: text("Version of the path."), fieldPath: text("Path of the field.") }, [
            "fieldPath",
          ]),
        }),
      }, ["name"]),
      { "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"] },
    ),
    ports: list(
      "Ports of the container.",
      struct("A port.", {
        name: text("Name of the port."),
        containerPort: whole("Number of the port.", { minimum: 1, maximum: 65535 }),
        protocol: text("UDP, TCP or SCTP.", { default: "TCP" }),
      }, ["containerPort"]),
      { "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["containerPort", "protocol"] },
    ),
    livenessProbe: probe("alive"),
    readinessProbe: probe("ready"),
    startupProbe: probe("started"),
    resources,
    securityContext: security("container"),
    volumeMounts: list(
      "Volumes in the file system of the container.",
      struct("A mounted volume.", {
        name: text("Name of the volume."),
        mountPath: text("Path in the container. It must not contain a colon."),
        subPath: text("Path in the volume."),
        readOnly: flag("Whether writes are forbidden."),
      }, ["name", "mountPath"]),
    ),
  }, ["name"]);
}
function security(what: string): Schema {
  const id = (of: string): Schema => ({ ...whole(`The ${of} of the ${what}.`), format: "int64" });
  return struct(`Security attributes of the ${what}.`, {
    runAsUser: id("user"),
    runAsGroup: id("group"),
    fsGroup: id("group of files"),
    runAsNonRoot: flag("Whether the user must not be root."),
    readOnlyRootFilesystem: flag("Whether the root file system cannot be written."),
    capabilities: struct("POSIX capabilities.", { add: words, drop: words }),
    seLinuxOptions: struct("Labels of SELinux.", { level: text("Level."), role: text("Role."), type: text("Type."), user: text("User.") }),
    seccompProfile: struct("Profile of system calls.", { type: text("Kind of profile."), localhostProfile: text("File of the profile.") }, [
      "type",
    ]),
  });
}
function podMembers(): Members {
  return {
    affinity: struct("Constraints of the placement.", {
      nodeAffinity: weighted("nodes", "preference", nodeTerms()),
      podAffinity: weighted("near pods", "podAffinityTerm", podTerm()),
      podAntiAffinity: weighted("distant pods", "podAffinityTerm", podTerm()),
    }),
    containers: list("Containers that are added to the generated ones, or change them.", container()),
    initContainers: list("Containers that run before the others.", container()),
    nodeSelector: map("Labels of the nodes for the pods.", { type: "string" }),
    securityContext: security("pod"),
    serviceAccountName: text("Name of the service account of the pods."),
    tolerations: list(
      "Taints that the pods tolerate.",
      struct("A tolerated taint.", {
        key: text("Key of the taint."),
        operator: text("How the value is compared: Exists or Equal."),
        value: text("Value of the taint."),
        effect: text("Effect of the taint."),
        tolerationSeconds: { ...whole("How long it is tolerated."), format: "int64" },
      }),
    ),
    volumes: list(
      "Volumes of the pods.",
      struct("A volume.", {
        name: text("Name of the volume."),
        configMap: struct("Files of a ConfigMap.", {
          name: text("Its name."),
          items: list("Files.", struct("A file.", { key: text("Key."), path: text("Path.") }, ["key", "path"])),
        }),
        secret: struct("Files of a Secret.", {
          secretName: text("Its name."),
          items: list("Files.", struct("A file.", { key: text("Key."), path: text("Path.") }, ["key", "path"])),
        }),
        emptyDir: struct("A directory that starts empty.", { medium: text("Where it is stored."), sizeLimit: quantity }),
        persistentVolumeClaim: struct("A claim.", { claimName: text("Its name."), readOnly: flag("Whether writes are forbidden.") }, [
          "claimName",
        ]),
      }, ["name"]),
    ),
  };
}

interface Model {
  readonly kind: string;
  readonly versions: readonly string[];
  readonly spec: (seed: number) => Schema;
  /** The spec of a valid object. */
  readonly example: Schema;
  readonly status: Members;
  readonly columns: readonly Schema[];
}

const ready = { name: "Ready", type: "string", jsonPath: '.status.conditions[?(@.type=="Ready")].status' };
const age = { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" };

const certificate: Model = {
  kind: "Certificate",
  example: { issuerRef: { name: "issuer" }, secretName: "secret" },
  versions: ["v1"],
  spec: () =>
    struct("The wanted certificate.", {
      commonName: text("Common name of the subject, at most 64 characters.", { maxLength: 64 }),
      dnsNames: words,
      ipAddresses: words,
      emailAddresses: words,
      uris: words,
      duration: duration("How long the certificate is valid."),
      renewBefore: duration("How long before its end the certificate is renewed."),
      isCA: flag("Whether the certificate can sign others."),
      issuerRef: reference("the issuer"),
      secretName: text("Name of the Secret for the key and the certificate.", { minLength: 1 }),
      usages: list(
        "Usages of the key.",
        text("A usage.", {
          enum: ["signing", "digital signature", "key encipherment", "cert sign", "crl sign", "server auth", "client auth"],
        }),
      ),
      privateKey: struct("How the key is made.", {
        algorithm: text("Algorithm of the key.", { enum: ["RSA", "ECDSA", "Ed25519"] }),
        encoding: text("Encoding of the key.", { enum: ["PKCS1", "PKCS8"] }),
        rotationPolicy: text("When the key is replaced.", { enum: ["Never", "Always"], default: "Always" }),
        size: whole("Bits of the key.", { minimum: 256, maximum: 8192 }),
      }),
      keystores: struct("Further files in the Secret.", {
        jks: struct("A key store of Java.", {
          create: flag("Whether it is made."),
          alias: text("Alias of the key."),
          passwordSecretRef: keySelector("a Secret"),
        }, ["create"]),
        pkcs12: struct("A key store in PKCS 12.", {
          create: flag("Whether it is made."),
          profile: text("Algorithms.", { enum: ["LegacyRC2", "LegacyDES", "Modern2023"] }),
          passwordSecretRef: keySelector("a Secret"),
        }, ["create"]),
      }),
      subject: struct(
        "Further parts of the subject.",
        Object.fromEntries(
          ["countries", "localities", "organizations", "organizationalUnits", "postalCodes", "provinces", "streetAddresses"].map((
            name,
          ) => [name, words]),
        ),
      ),
      secretTemplate: struct("Metadata of the Secret.", {
        annotations: map("Annotations.", { type: "string" }),
        labels: map("Labels.", { type: "string" }),
      }),
      revisionHistoryLimit: whole("How many requests are kept.", { minimum: 1 }),
    }, ["issuerRef", "secretName"]),
  status: { conditions, notAfter: text("End of the certificate.", { format: "date-time" }), revision: whole("Number of the certificate.") },
  columns: [ready, { name: "Secret", type: "string", jsonPath: ".spec.secretName" }, age],
};
const monitor: Model = {
  kind: "Monitor",
  example: { replicas: 1 },
  versions: ["v1"],
  spec: () =>
    struct("The wanted servers of measurements.", {
      ...podMembers(),
      replicas: whole("Number of servers.", { minimum: 0 }),
      retention: duration("How long measurements are kept."),
      scrapeInterval: { ...duration("How often targets are read."), default: "30s" },
      externalLabels: map("Labels that are added to all measurements.", { type: "string" }),
      serviceSelector: labelSelector,
      ruleSelector: labelSelector,
      remoteWrite: list(
        "Servers that receive all measurements.",
        struct("A receiver.", {
          url: text("Its address.", { minLength: 1 }),
          basicAuth: struct("Credentials.", { username: keySelector("a Secret"), password: keySelector("a Secret") }),
          headers: map("Further headers.", { type: "string" }),
          remoteTimeout: duration("Timeout of a request."),
          tlsConfig: struct("Settings of TLS.", {
            ca: struct("Certificates of authorities.", { configMap: keySelector("a ConfigMap"), secret: keySelector("a Secret") }),
            insecureSkipVerify: flag("Whether certificates are not verified."),
            serverName: text("Expected name."),
          }),
          writeRelabelConfigs: list(
            "Changes of labels.",
            struct("A change.", {
              action: text("What is done.", {
                enum: ["replace", "keep", "drop", "labelmap", "labeldrop", "labelkeep"],
                default: "replace",
              }),
              regex: text("A pattern."),
              replacement: text("The new value."),
              separator: text("Between values."),
              sourceLabels: words,
              targetLabel: text("The label that is set."),
            }),
          ),
        }, ["url"]),
      ),
      resources,
    }),
  status: { conditions, replicas: whole("Number of servers."), availableReplicas: whole("Number of available servers.") },
  columns: [ready, { name: "Replicas", type: "integer", jsonPath: ".spec.replicas" }, {
    name: "Paused",
    type: "boolean",
    jsonPath: ".status.paused",
    priority: 1,
  }, age],
};
const route: Model = {
  kind: "Route",
  example: { hosts: ["example.com"] },
  versions: ["v1", "v1beta1", "v1alpha3"],
  spec: () => {
    const match = { oneOf: [{ required: ["exact"] }, { required: ["prefix"] }, { required: ["regex"] }] };
    const matched = (what: string) => ({
      ...struct(`Matches ${what}.`, { exact: { type: "string" }, prefix: { type: "string" }, regex: { type: "string" } }),
      ...match,
    });
    const target = struct("A service that receives requests.", {
      host: text("Its name."),
      subset: text("A part of it."),
      port: struct("Its port.", { number: whole("Number.", { minimum: 0, maximum: 65535 }) }),
    }, ["host"]);
    const headers = struct("Changes of headers.", {
      add: map("Added.", { type: "string" }),
      set: map("Replaced.", { type: "string" }),
      remove: words,
    });
    return struct("Routes of requests.", {
      hosts: words,
      gateways: words,
      exportTo: words,
      http: list(
        "Ordered routes of HTTP.",
        struct("A route.", {
          name: text("Its name, for logs."),
          match: list(
            "Conditions, of which one must be met.",
            struct("A condition.", {
              uri: matched("the path"),
              method: matched("the method"),
              authority: matched("the host"),
              headers: map("By header.", matched("a header")),
              queryParams: map("By parameter.", matched("a parameter")),
              sourceLabels: map("Labels of the client.", { type: "string" }),
              port: whole("Port."),
            }),
          ),
          route: list(
            "Targets with their shares.",
            struct("A target.", {
              destination: target,
              weight: whole("Its share.", { minimum: 0, maximum: 100 }),
              headers: struct("Changes.", { request: headers, response: headers }),
            }, ["destination"]),
          ),
          redirect: struct("A redirection.", {
            uri: text("New path."),
            authority: text("New host."),
            redirectCode: whole("Status.", { minimum: 300, maximum: 399 }),
          }),
          rewrite: struct("A change of the path.", { uri: text("New path."), authority: text("New host.") }),
          fault: struct("Deliberate faults.", {
            abort: struct("Errors.", {
              httpStatus: whole("Status."),
              percentage: struct("Share.", { value: { type: "number", format: "double" } }),
            }),
            delay: struct("Delays.", {
              fixedDelay: duration("How long."),
              percentage: struct("Share.", { value: { type: "number", format: "double" } }),
            }),
          }),
          retries: struct("Repetitions.", {
            attempts: whole("How many.", { minimum: 0 }),
            perTryTimeout: duration("Timeout of one."),
            retryOn: text("Which errors."),
          }, ["attempts"]),
          mirror: target,
          timeout: duration("Timeout of the whole request."),
          corsPolicy: struct("Other origins.", {
            allowOrigins: list("Allowed.", matched("an origin")),
            allowMethods: words,
            allowHeaders: words,
            exposeHeaders: words,
            maxAge: duration("How long it is cached."),
            allowCredentials: flag("Whether credentials are allowed."),
          }),
          headers: struct("Changes.", { request: headers, response: headers }),
        }),
      ),
      tcp: list(
        "Ordered routes of TCP.",
        struct("A route.", {
          match: list(
            "Conditions.",
            struct("A condition.", { port: whole("Port."), destinationSubnets: words, sourceLabels: map("Labels.", { type: "string" }) }),
          ),
          route: list("Targets.", struct("A target.", { destination: target, weight: whole("Its share.") }, ["destination"])),
        }),
      ),
    });
  },
  status: { conditions, validationMessages: list("Findings.", { type: "object", "x-kubernetes-preserve-unknown-fields": true }) },
  columns: [
    { name: "Gateways", type: "string", jsonPath: ".spec.gateways" },
    { name: "Hosts", type: "string", jsonPath: ".spec.hosts" },
    age,
  ],
};
const nouns = [
  "address",
  "backup",
  "bucket",
  "cluster",
  "domain",
  "endpoint",
  "filter",
  "gateway",
  "image",
  "key",
  "listener",
  "network",
  "policy",
  "queue",
  "region",
  "subnet",
  "table",
  "volume",
  "window",
  "zone",
];
const cloud: Model = {
  kind: "CloudThing",
  example: { forProvider: { region: "here" } },
  versions: ["v1beta1"],
  spec: (seed) => {
    const parameters = (count: number): Members =>
      Object.fromEntries(
        Array.from({ length: count }, (_, at): readonly [string, Schema][] => {
          const noun = nouns[(seed + at) % nouns.length]!, other = nouns[(seed + 3 * at + 1) % nouns.length]!;
          const name = `${noun}${at < nouns.length ? "" : at}`;
          if (at % 5 === 0) {
            return [
              [`${name}Id`, text(`Identifier of the ${noun} that the ${other} belongs to. It cannot be changed later.`)],
              [`${name}IdRef`, reference(`the ${noun} whose identifier is used`)],
              [
                `${name}IdSelector`,
                struct(`Selects the ${noun} whose identifier is used.`, {
                  matchControllerRef: flag("Whether it must have the same controller."),
                  matchLabels: map("Its labels.", { type: "string" }),
                  policy: struct("When it is looked up.", {
                    resolution: text("Whether it must be found.", { default: "Required", enum: ["Required", "Optional"] }),
                    resolve: text("How often it is looked up.", { enum: ["Always", "IfNotPresent"] }),
                  }),
                }),
              ],
            ];
          }
          if (at % 5 === 1) {
            return [[
              name,
              list(
                `Settings of the ${noun} for each ${other}.`,
                struct(`Setting of a ${noun}.`, {
                  enabled: flag(`Whether the ${noun} is used.`),
                  name: text(`Name of the ${other}.`),
                  tags: map("Tags.", { type: "string" }),
                }),
              ),
            ]];
          }
          if (at % 5 === 2) {
            return [[`${name}Count`, {
              description: `Number of ${noun} entries for the ${other}. The default depends on the region.`,
              type: "number",
            }]];
          }
          if (at % 5 === 3) {
            return [[`${name}Tags`, {
              ...map(`Tags of the ${noun}, keys and values.`, { type: "string" }),
              "x-kubernetes-map-type": "granular",
            }]];
          }
          return [[`${name}Mode`, text(`Mode of the ${noun}: how the ${other} is replaced when it changes.`)]];
        }).flat(),
      );
    return {
      ...struct("The wanted resource of the cloud.", {
        deletionPolicy: text("What happens to the resource when the object is deleted.", { default: "Delete", enum: ["Orphan", "Delete"] }),
        forProvider: struct("Parameters of the resource.", { ...parameters(15 + seed % 30), region: text("Region of the resource.") }, [
          "region",
        ]),
        initProvider: struct("Parameters that are used for the creation only.", parameters(15 + seed % 30)),
        managementPolicies: list(
          "What is done with the resource.",
          text("An action.", { enum: ["Observe", "Create", "Update", "Delete", "LateInitialize", "*"] }),
          { default: ["*"] },
        ),
        providerConfigRef: { ...reference("the configuration of the provider"), default: { name: "default" } },
        writeConnectionSecretToRef: struct("Secret for the details of connections.", {
          name: text("Its name."),
          namespace: text("Its namespace."),
        }, ["name", "namespace"]),
      }, ["forProvider"]),
      "x-kubernetes-validations": [
        {
          rule: "!('*' in self.managementPolicies || 'Create' in self.managementPolicies) || has(self.forProvider.region)",
          message: "spec.forProvider.region is a required parameter",
        },
        { rule: "self.deletionPolicy != 'Orphan' || size(self.managementPolicies) > 0", message: "an orphan needs a policy" },
      ],
    };
  },
  status: {
    conditions,
    atProvider: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
    observedGeneration: whole("Observed generation."),
  },
  columns: [{ name: "Synced", type: "string", jsonPath: ".status.conditions[?(@.type=='Synced')].status" }, {
    ...ready,
    jsonPath: ".status.conditions[?(@.type=='Ready')].status",
  }, age],
};
const machine: Model = {
  kind: "Machine",
  example: {
    clusterName: "one",
    selector: {},
    template: { spec: { clusterName: "one", bootstrap: {}, infrastructureRef: { name: "one" } } },
  },
  versions: ["v1beta2", "v1beta1"],
  spec: () => {
    const clusterName = text("Name of the cluster of the machines.", { minLength: 1, maxLength: 63 });
    const template = struct("The machines that are made.", {
      metadata: struct("Their metadata.", {
        annotations: map("Annotations.", { type: "string" }),
        labels: map("Labels.", { type: "string" }),
      }),
      spec: struct("What is wanted of them.", {
        bootstrap: struct("How they start.", { configRef: reference("the configuration"), dataSecretName: text("Name of the Secret.") }),
        clusterName,
        deletion: struct("How they end.", {
          nodeDrainTimeoutSeconds: whole("Time for the pods to leave.", { minimum: 0 }),
          nodeVolumeDetachTimeoutSeconds: whole("Time for the volumes.", { minimum: 0 }),
        }),
        failureDomain: text("Where they run.", { minLength: 1, maxLength: 256 }),
        infrastructureRef: reference("the template of the infrastructure"),
        readinessGates: list(
          "Further conditions.",
          struct("A condition.", {
            conditionType: text("Its type.", { maxLength: 316 }),
            polarity: text("Its good value.", { enum: ["Positive", "Negative"] }),
          }, ["conditionType"]),
          { "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["conditionType"], maxItems: 32 },
        ),
        version: text("Version of the node.", { minLength: 1, maxLength: 256 }),
        taints: list(
          "Taints of the node.",
          struct("A taint.", {
            key: text("Key."),
            value: text("Value."),
            effect: text("Effect.", { enum: ["NoSchedule", "PreferNoSchedule", "NoExecute"] }),
          }, ["key", "effect"]),
        ),
      }, ["clusterName", "bootstrap", "infrastructureRef"]),
    });
    return {
      ...struct("The wanted set of machines.", {
        clusterName,
        replicas: whole("Number of machines.", { default: 1 }),
        paused: flag("Whether changes wait."),
        selector: labelSelector,
        template,
        rollout: struct("How changes are made.", {
          strategy: struct("Order.", {
            type: text("Which.", { enum: ["RollingUpdate", "OnDelete"] }),
            rollingUpdate: struct("Bounds.", {
              maxSurge: { anyOf: [{ type: "integer" }, { type: "string" }], "x-kubernetes-int-or-string": true },
              maxUnavailable: { anyOf: [{ type: "integer" }, { type: "string" }], "x-kubernetes-int-or-string": true },
            }),
          }, ["type"]),
          after: text("When at the earliest.", { format: "date-time" }),
        }),
      }, ["clusterName", "selector", "template"]),
      "x-kubernetes-validations": [{ rule: "self.clusterName == oldSelf.clusterName", message: "clusterName cannot change" }],
    };
  },
  status: {
    conditions,
    replicas: whole("Number of machines."),
    readyReplicas: whole("Number of ready ones."),
    selector: text("A selector."),
    phase: text("Phase.", { enum: ["ScalingUp", "ScalingDown", "Running", "Failed", "Unknown"] }),
  },
  columns: [{ name: "Cluster", type: "string", jsonPath: ".spec.clusterName" }, {
    name: "Phase",
    type: "string",
    jsonPath: ".status.phase",
  }, age],
};
const policy: Model = {
  kind: "Policy",
  example: { selector: {} },
  versions: ["v1", "v2alpha1"],
  spec: () =>
    struct("The wanted policy.", {
      selector: labelSelector,
      ingress: list(
        "Allowed senders.",
        struct("A sender.", {
          from: list("Who.", struct("Peer.", { selector: labelSelector, cidr: text("Addresses.", { format: "cidr" }) })),
          ports: list(
            "Ports.",
            struct("A port.", {
              port: whole("Number.", { minimum: 0, maximum: 65535 }),
              protocol: text("Protocol.", { enum: ["TCP", "UDP", "ANY"] }),
            }),
          ),
        }),
      ),
      egress: list(
        "Allowed receivers.",
        struct("A receiver.", {
          to: list("Who.", struct("Peer.", { selector: labelSelector, cidr: text("Addresses.", { format: "cidr" }) })),
          domains: words,
        }),
      ),
      order: { description: "Lower numbers come first.", type: "number" },
    }, ["selector"]),
  status: { conditions },
  columns: [{ name: "Order", type: "number", jsonPath: ".spec.order" }, age],
};

/** Half of the definitions are resources of clouds, whose providers have the most. */
const models: readonly Model[] = Object.freeze([cloud, certificate, cloud, monitor, cloud, route, cloud, machine, cloud, policy]);
const definitionsPerGroup = 20;

export interface Definition {
  readonly name: string;
  /** Path of its objects in the namespace `default`. */
  readonly path: string;
  readonly body: string;
  /** A valid object. */
  readonly object: string;
}

/** The definition with a number from 0. */
export function definitionAt(number: number): Definition {
  const model = models[number % models.length]!;
  const group = `group-${Math.floor(number / definitionsPerGroup)}.example.com`,
    kind = `${model.kind}${number}`,
    plural = `${kind.toLowerCase()}s`;
  const schema = {
    openAPIV3Schema: {
      ...struct(`An object of the kind ${kind}: what is wanted, and what was observed.`, {
        apiVersion: text("Version of the schema of this representation of the object."),
        kind: text("Kind of the object, in CamelCase. It cannot be changed."),
        metadata: { type: "object" },
        spec: model.spec(number),
        status: struct("What was observed.", model.status),
      }, ["spec"]),
    },
  };
  const scale = model === monitor || model === machine;
  const versions = model.versions.map((name, index) => ({
    name,
    served: true,
    storage: index === 0,
    subresources: {
      status: {},
      ...(scale ? { scale: { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" } } : {}),
    },
    additionalPrinterColumns: model.columns,
    schema,
  }));
  const names = { plural, singular: kind.toLowerCase(), kind, listKind: `${kind}List`, categories: ["bench"], shortNames: [`b${number}`] };
  const example = { apiVersion: `${group}/${model.versions[0]}`, kind, metadata: { name: "one" }, spec: model.example };
  return {
    name: `${plural}.${group}`,
    object: JSON.stringify(example),
    path: `/apis/${group}/${model.versions[0]}/namespaces/default/${plural}`,
    body: JSON.stringify({
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: `${plural}.${group}` },
      spec: { group, names, scope: "Namespaced", versions },
    }),
  };
}
