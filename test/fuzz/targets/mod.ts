import type { Target } from "../fuzz.ts";
import { authenticationConfigurations, claims, impersonation, keySets } from "./authentication.ts";
import { auditPolicies, kubeconfigs } from "./access-files.ts";
import { celAddresses, celStrings, celUrls, celVersions } from "./cel-functions.ts";
import { canonicalTexts } from "./canonical-bytes.ts";
import { cbor } from "./cbor.ts";
import { celEvaluation } from "./cel.ts";
import { celText } from "./cel-text.ts";
import { certificateRequests, der, pem } from "./der.ts";
import { etcd } from "./etcd.ts";
import { etcdFiles } from "./etcd-files.ts";
import { http2 } from "./http2.ts";
import { json } from "./json.ts";
import { jwt } from "./jwt.ts";
import { kms } from "./kms.ts";
import { links } from "./links.ts";
import { patches } from "./patches.ts";
import { protobuf } from "./protobuf.ts";
import { mediaTypes, paths, selectors, tokens } from "./requests.ts";
import { scalars } from "./scalars.ts";
import { spdy } from "./spdy.ts";
import { jqExpressions, stageTemplates } from "./stages.ts";
import { storedValues } from "./stored-values.ts";
import { testControl } from "./test-control.ts";
import { typed } from "./typed.ts";
import { websocket } from "./websocket.ts";
import { yaml } from "./yaml.ts";

/** Every target, in the order in which they run. */
export const targets: readonly Target[] = Object.freeze(
  [
    json,
    yaml,
    typed,
    canonicalTexts,
    protobuf,
    cbor,
    der,
    certificateRequests,
    pem,
    http2,
    websocket,
    spdy,
    etcd,
    etcdFiles,
    storedValues,
    kms,
    paths,
    mediaTypes,
    selectors,
    tokens,
    jwt,
    scalars,
    celAddresses,
    celUrls,
    celVersions,
    celStrings,
    patches,
    auditPolicies,
    kubeconfigs,
    claims,
    keySets,
    authenticationConfigurations,
    impersonation,
    celEvaluation,
    celText,
    links,
    jqExpressions,
    stageTemplates,
    testControl,
  ],
);
