/**
 * The admission step ImagePolicyWebhook: a webhook of the administrator decides about the images of new and changed pods. Each server keeps
 * answers for itself, as in upstream.
 */
import { type Admission, type RequestHookContext, StatusError } from "../../../../plugin.ts";
import { qualifiedName, spell } from "../../../../toolbox.ts";
import type { Pod } from "../../pod-schema.ts";
import { pods } from "../../pod.ts";
import { configuration, type ImagePolicyConfiguration, millisecondsOf } from "./configuration.ts";
import { type ImageAnswer, readAnswer, reviewSpec, reviewText } from "./image-review.ts";
import { KeptAnswers } from "./kept-answers.ts";

const name = "ImagePolicyWebhook";
/** Milliseconds for one attempt of a call (kube-apiserver's value). */
const callMs = 30_000;

type Asked = { readonly answer: ImageAnswer } | { readonly failure: string; readonly isForbidden?: boolean };

async function ask(spec: string, settings: ImagePolicyConfiguration, { names, server }: RequestHookContext): Promise<Asked> {
  const outcome = await server.callWebhook({
    webhook: { kubeconfig: settings.imagePolicy.kubeConfigFile },
    json: reviewText(spec, names),
    timeoutMs: callMs,
    retryMs: millisecondsOf(settings, "retryBackoff"),
    step: name,
  });
  if (outcome.tag === "busy") {
    throw new StatusError("TooManyRequests", "too many requests wait for the image policy webhook", { details: { retryAfterSeconds: 1 } });
  }
  if (outcome.tag === "failed") return { failure: outcome.message, isForbidden: outcome.code === 403 };
  const read = readAnswer(outcome.body, names);
  return read.ok ? { answer: read.answer } : { failure: read.error };
}

export const imagePolicy: Admission<Pod> = {
  name,
  isOptional: true,
  resources: [pods],
  configuration,
  async refuse(next, _prior, context) {
    const { subresource, names, server, request: { namespace } } = context;
    const settings = context.configuration(name) as ImagePolicyConfiguration | undefined; // validated
    if (settings === undefined || (subresource !== "" && subresource !== "ephemeralcontainers")) return undefined;
    const annotate = (key: string, value: string) => {
      const whole = `${name.toLowerCase()}${spell(names, ".image-policy.{domain}/")}${key}`;
      if (!key.includes("/") && qualifiedName(whole).length === 0) context.annotate(whole, value);
    };
    const kept = server.stateOf(settings, () => new KeptAnswers(server.clock.elapsed)),
      spec = reviewSpec(next, subresource, namespace, names);
    let answer = kept.get(spec);
    if (answer === undefined) {
      const asked = await ask(spec, settings, context);
      if ("failure" in asked) {
        if (settings.imagePolicy.defaultAllow !== true) {
          // As upstream, which passes such an answer on.
          if (asked.isForbidden === true) throw new StatusError("Forbidden", asked.failure);
          return asked.failure;
        }
        annotate("failed-open", "true");
        return undefined;
      }
      ({ answer } = asked);
      kept.keep(spec, answer, millisecondsOf(settings, answer.allowed ? "allowTTL" : "denyTTL"));
    }
    for (const [key, value] of answer.auditAnnotations) annotate(key, value);
    if (answer.allowed) return undefined;
    return answer.reason === ""
      ? "one or more images rejected by webhook backend"
      : `image policy webhook backend denied one or more images: ${answer.reason}`;
  },
};
