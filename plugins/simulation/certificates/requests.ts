/** CertificateSigningRequests: approved where a node may ask, signed by the server's own CA, and removed when they are old. */
import type { ApiObject } from "../../../plugin.ts";
import { bound } from "../../../core/bound.ts";
import { base64Of } from "../../../toolbox.ts";
import type { CertificateRequest } from "../../../protocols/x509/certificate-request.ts";
import { requestIn } from "../../certificates/mod.ts";
import type { Reconciler } from "../world/reconciler.ts";
import { timeOf } from "../world/last-change.ts";
import type { World } from "../world/world.ts";
import { followAll } from "../workloads/owner-keys.ts";
import { commonNameOf, kubeletClientProblem, kubeletClientSigner, signers } from "./signers.ts";
import { usageExtensions } from "./usages.ts";

type Request = NonNullable<ReturnType<World["certificateSigningRequests"]["at"]>>;

const secondMs = 1_000;
/** The longest validity of a certificate, in milliseconds: a year. */
const longestMs = bound(31_536_000_000);
/** The shortest one, and how long before now it begins, for clocks that are behind. */
const shortestMs = 600 * secondMs, backdateMs = 300 * secondMs;
/** Milliseconds for which a request is kept after the decision. */
const decidedMs = bound(3_600_000);
/** Milliseconds for which a request is kept without a decision. */
const pendingMs = bound(86_400_000);

/** Decides on requests for certificates. */
export const certificateReconciler: Reconciler = {
  name: "certificatesigningrequest",
  follow: (world, add) => followAll(world.certificateSigningRequests, add),
  async reconcile(world, key) {
    const request = world.certificateSigningRequests.at(key);
    if (request === undefined || request.metadata.deletionTimestamp !== undefined) return;
    const left = endOf(request) - world.clock.now();
    if (left <= 0) return await world.certificateSigningRequests.delete(request);
    const check = signers.get(request.spec.signerName);
    if (check === undefined || (request.status.certificate ?? "") !== "" || has(request, "Denied") || has(request, "Failed")) return left;
    const parsed = requestIn(request.spec.request), { usages = [] } = request.spec;
    if (!has(request, "Approved")) await approve(world, request, parsed);
    else {
      const problem = check(parsed, usages);
      if (problem === undefined) await sign(world, request, parsed);
      else await fail(world, request, problem);
    }
    return left;
  },
};

const has = ({ status: { conditions = [] } }: Request, wanted: string): boolean =>
  conditions.some(({ type, status }) => type === wanted && status === "True");

/** The time at which a request is removed. */
function endOf({ metadata, status: { conditions = [] } }: Request): number {
  const decided = conditions.filter(({ type }) => ["Approved", "Denied", "Failed"].includes(type)).map((each) =>
    timeOf(each.lastUpdateTime)
  )
    .filter((time) => time !== undefined);
  const created = timeOf(metadata.creationTimestamp) ?? 0;
  return decided.length === 0 ? created + pendingMs : decided.reduce((first, time) => Math.min(first, time)) + decidedMs;
}

/** Approves the request of a kubelet for its client certificate, if an access review allows it. */
async function approve(world: World, request: Request, parsed: CertificateRequest): Promise<void> {
  const { spec } = request, { usages = [] } = spec;
  if (spec.signerName !== kubeletClientSigner || kubeletClientProblem(parsed, usages) !== undefined) return;
  const reviews = [
    ...(spec.username === commonNameOf(parsed) ? [["selfnodeclient", "self kubelet client certificate"]] : []),
    ["nodeclient", "kubelet client certificate"],
  ];
  for (const [subresource = "", what = ""] of reviews) {
    if (!await isAllowed(world, request, subresource)) continue;
    const message = `Auto approving ${what} after SubjectAccessReview.`;
    const condition = { type: "Approved", status: "True", reason: "AutoApproved", message };
    const { api, names } = world.context, version = `certificates.${names.domain}/v1`;
    const { name = "" } = request.metadata, approved = withCondition(request, condition);
    await api.update(version, "certificatesigningrequests", "", name, approved, { subresource: "approval" });
    return;
  }
}

async function isAllowed({ context: { api, names } }: World, { spec }: Request, subresource: string): Promise<boolean> {
  const { username: user = "", uid = "", groups = [], extra = {} } = spec;
  const group = `certificates.${names.domain}`, resource = "certificatesigningrequests";
  const resourceAttributes = { group, resource, verb: "create", subresource, version: "*" };
  const review = { metadata: {}, spec: { user, uid, groups, extra, resourceAttributes } };
  const answer = await api.create(`authorization.${names.domain}/v1`, "subjectaccessreviews", "", review);
  return (answer as ApiObject & { readonly status?: { readonly allowed?: boolean } }).status?.allowed === true; // the kind's own status
}

async function sign(world: World, request: Request, { subject, publicKeyInfo, alternative }: CertificateRequest): Promise<void> {
  const { signCertificate } = world.context, now = world.clock.now(), { usages = [], expirationSeconds } = request.spec;
  if (signCertificate === undefined) return;
  const lifeMs = Math.max(shortestMs, Math.min(longestMs, Number(expirationSeconds ?? Infinity) * secondMs));
  const certificate = await signCertificate({
    ...{ subject, publicKeyInfo, alternativeNames: alternative?.bytes, ...usageExtensions(usages) },
    notBefore: now - backdateMs,
    notAfter: now + lifeMs,
  });
  const status = { ...request.status, certificate: base64Of(new TextEncoder().encode(certificate)) } as Request["status"]; // the text of bytes
  await world.certificateSigningRequests.updateStatus({ ...request, status });
}

async function fail(world: World, request: Request, message: string): Promise<void> {
  const condition = { type: "Failed", status: "True", reason: "SignerValidationFailure", message };
  await world.certificateSigningRequests.updateStatus(withCondition(request, condition));
}

/** The request with one condition more. The server sets its times. */
function withCondition(request: Request, condition: object): Request {
  const conditions = [...request.status.conditions ?? [], condition];
  return { ...request, status: { ...request.status, conditions } } as Request; // the server adds the times
}
