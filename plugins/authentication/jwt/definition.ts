/** The authenticator `jwt`: issuers of tokens and the rules of anonymous requests, from --authentication-config or the --oidc-* flags. */
import { pause, systemClock } from "../../../core/async.ts";
import type { AuthenticatorContext, AuthenticatorDefinition, OpenedAuthenticator } from "../../../core/authentication.ts";
import { bound } from "../../../core/bound.ts";
import { FaultyFile, type PlacedMistake } from "../../../core/config/mistake.ts";
import { forbidden } from "../../../core/field-error.ts";
import { type FollowedFiles, type PartInspection, settingsOf } from "../../../core/part.ts";
import { goQuote } from "../../../core/tree/go-quote.ts";
import { reasonOf } from "../../../core/reason-of.ts";
import { answersOf } from "../answers.ts";
import { issuerOfFlags } from "../configuration/oidc-flags.ts";
import { checkConfiguration, ConfigurationError, readAuthenticationConfiguration } from "../configuration/read.ts";
import type { AuthenticationConfiguration } from "../configuration/schema.ts";
import { validateConfiguration, validateReload, type ValidationContext } from "../configuration/validate.ts";
import { tokenIssuers } from "../service-accounts/issuers.ts";
import { JwtAuthenticator, type Replacing, signingAlgorithms } from "./authenticator.ts";
import { jwtMeter, reloadMeter } from "./meter.ts";

/** Milliseconds for which an accepted token is cached, as upstream. Rejected tokens are not cached: a new key may verify them. */
const acceptedMs = 10_000;
/** Milliseconds for which the reload of a configuration waits for its issuers. */
const issuersMs = bound(10_000);
const what = "authentication configuration";

const flags = Object.freeze({
  "anonymous-auth": "bool",
  "authentication-config": "string",
  "oidc-issuer-url": "string",
  "oidc-client-id": "string",
  "oidc-ca-file": "string",
  "oidc-username-claim": "string",
  "oidc-username-prefix": "string",
  "oidc-groups-claim": "string",
  "oidc-groups-prefix": "string",
  "oidc-signing-algs": "list",
  "oidc-required-claim": "texts",
});

export const jwt: AuthenticatorDefinition = {
  name: "jwt",
  summary: "JSON Web Tokens of the issuers of --authentication-config or --oidc-issuer-url.",
  plainReasons: true,
  required: true,
  answerMs: Infinity,
  checks: {
    files: (inspection) => {
      const isFile = settingsOf(inspection.setting, flags)["authentication-config"] !== "";
      return [[isFile ? "authentication-config" : "oidc-issuer-url", readConfiguration(inspection)]];
    },
    mistakes: oidcMistakes,
    fileWarnings: prefixWarnings,
  },
  open: openJwt,
};

/** Returns the mistakes of the flags --oidc-*, with upstream's messages. */
function oidcMistakes({ setting }: Pick<PartInspection, "setting">): readonly string[] {
  const { "authentication-config": file, "anonymous-auth": _, ...oidc } = settingsOf(setting, flags);
  const { "oidc-issuer-url": url, "oidc-client-id": client, "oidc-signing-algs": algorithms, "oidc-username-claim": claim } = oidc;
  const isSet = claim !== defaultClaim || algorithms.length > 0 || oidc["oidc-required-claim"].size > 0 ||
    Object.entries(oidc).some(([name, value]) => name !== "oidc-username-claim" && typeof value === "string" && value !== "");
  return [
    ...(isSet && file !== "" ? ["authentication-config file and oidc-* flags are mutually exclusive"] : []),
    ...(isSet && file === "" && (url === "" || client === "")
      ? ["oidc-issuer-url and oidc-client-id must be specified together when any oidc-* flags are set"]
      : []),
    ...algorithms.filter((each) => !signingAlgorithms.includes(each)).map((each) => `oidc: unsupported signing alg: ${goQuote(each)}`),
  ];
}
/** The default of --oidc-username-claim. */
const defaultClaim = "sub";

/** Starts the discovery of the issuers without waiting for it. Rejects for a configuration that cannot be used. */
async function openJwt(context: AuthenticatorContext): Promise<OpenedAuthenticator> {
  const { setting, audiences, clock, remotes, crypto, logFailure, signal } = context;
  const { "authentication-config": path, "oidc-signing-algs": algorithms } = settingsOf(setting, flags);
  const first = await readConfiguration(context), { anonymous } = first.configuration;
  const ofFile = anonymous === undefined ? {} : { anonymous };
  if (path === "" && first.configuration.jwt === undefined) return ofFile;
  const authenticator = new JwtAuthenticator({
    algorithms: path !== "" ? signingAlgorithms : algorithms.length === 0 ? ["RS256"] : algorithms,
    audiences,
    fetchWith: (authorities) => (url) => remotes.fetchDocument(url, authorities),
    // Issuers are asked again in the time of the machine.
    clock: { ...systemClock, now: clock.now },
    elapsed: clock.elapsed,
    meter: jwtMeter(context, clock.now),
    isCertificate: crypto.isCertificate,
    report: logFailure,
  });
  signal.addEventListener("abort", () => authenticator.close(), { once: true });
  // Each configuration has its own cache, so that tokens of a removed issuer become invalid.
  let generation = 0;
  const adopt = (configuration: AuthenticationConfiguration, adopted: () => void): Replacing => {
    warnOfPrefixes(configuration, context);
    return authenticator.replace(configuration.jwt ?? [], () => {
      generation++;
      adopted();
    });
  };
  adopt(first.configuration, () => {});
  return {
    ...ofFile,
    authenticateToken: answersOf(authenticator),
    caching: { acceptedMs, refusedMs: 0, generation: () => generation },
    ...(path === "" ? {} : { followed: [followed(path, first, context, adopt)] }),
  };
}

interface ReadConfiguration {
  readonly text: string;
  readonly configuration: AuthenticationConfiguration;
}

/**
 * The file of the configuration. A changed one is active when every new issuer can be used; one that waits for an issuer is reported as a failed reload, and as
 * a renewal once it is active.
 */
function followed(
  path: string,
  first: ReadConfiguration,
  context: AuthenticatorContext,
  adopt: (configuration: AuthenticationConfiguration, adopted: () => void) => Replacing,
): FollowedFiles {
  const meter = reloadMeter(context, context.clock.now);
  meter.inForce(first.text);
  let text = first.text, refused: Error | undefined;
  /** The configuration that is not reported as active. */
  let waiting: { readonly replacing: Replacing; readonly issuers: readonly string[] } | undefined;

  /** Undefined if nothing waits. Throws while it waits. */
  function progress(): { readonly issuers: readonly string[] } | undefined {
    if (waiting === undefined) return undefined;
    const { replacing, issuers } = waiting;
    if (!replacing.isActive()) {
      throw new Error(`it is valid and becomes active when these issuers answer: ${replacing.waitsFor().join(", ")}`);
    }
    waiting = undefined;
    return { issuers };
  }
  return {
    what,
    paths: [path],
    async renew() {
      const next = await context.files.readText(path, what);
      if (next === text) {
        if (refused !== undefined) throw refused;
        return progress();
      }
      text = next;
      try {
        const configuration = configurationOf(context, next, first.configuration);
        refused = undefined;
        const replacing = adopt(configuration, () => {
          meter.reloaded("success");
          meter.inForce(next);
        });
        waiting = { replacing, issuers: (configuration.jwt ?? []).map(({ issuer }) => issuer.url ?? "") };
        const over = new AbortController();
        await Promise.race([replacing.active, pause(issuersMs, AbortSignal.any([context.signal, over.signal]), systemClock)]);
        over.abort();
      } catch (error) {
        meter.reloaded("failure");
        throw refused = new Error(reasonOf(error));
      }
      try {
        return progress();
      } catch (error) {
        meter.reloaded("failure");
        throw error;
      }
    },
  };
}

/** The configuration of the settings. Rejects with an error that lists every mistake. */
async function readConfiguration(inspection: PartInspection): Promise<ReadConfiguration> {
  const { files, setting } = inspection, values = settingsOf(setting, flags), path = values["authentication-config"];
  if (path !== "") {
    const text = await files.readText(path, what);
    try {
      return { text, configuration: configurationOf(inspection, text) };
    } catch (error) {
      throw loadError(path, error);
    }
  }
  if (values["oidc-issuer-url"] === "" || values["oidc-client-id"] === "") return { text: "", configuration: {} };
  const caPath = values["oidc-ca-file"];
  const authorities = caPath === "" ? "" : await files.readText(caPath, "authorities of the OpenID Connect issuer");
  const configuration = { jwt: [issuerOfFlags(values, authorities)] };
  try {
    checkConfiguration(validateConfiguration(configuration, contextOf(inspection)));
  } catch (error) {
    throw loadError("", error);
  }
  return { text: "", configuration };
}

/** The error with upstream's prefix. */
function loadError(path: string, error: unknown): Error {
  const isRead = error instanceof ConfigurationError;
  const message = `${
    isRead ? "invalid authentication configuration" : `failed to load authentication configuration from file "${path}"`
  }: ${reasonOf(error)}`;
  return path === "" ? new Error(message) : new FaultyFile(path, message, error);
}

function configurationOf(inspection: PartInspection, text: string, first?: AuthenticationConfiguration): AuthenticationConfiguration {
  const { "anonymous-auth": isAnonymous } = settingsOf(inspection.setting, flags);
  return readAuthenticationConfiguration(text, inspection.names.domain, contextOf(inspection), (next) => [
    ...(first === undefined ? [] : validateReload(next, first)),
    ...(next.anonymous === undefined || isAnonymous ? [] : [forbidden("anonymous", anonymousDetail)]),
  ]);
}

const anonymousDetail = "--anonymous-auth flag cannot be set when anonymous field is configured in authentication configuration file";

/** Issuers that must not be configured are those of service accounts. */
function contextOf({ setting, names, crypto }: PartInspection): ValidationContext {
  return { disallowedIssuers: tokenIssuers(setting, names), checkCertificates: crypto.checkAuthorities };
}

/**
 * Warns of names and groups without a prefix: a claim can contain system:masters, so the issuer has all rights. An expression can return
 * anything, unless a rule of users checks it.
 */
function warnOfPrefixes(configuration: AuthenticationConfiguration, { logInfo }: AuthenticatorContext): void {
  for (const { text, issuer } of bareIssuers(configuration)) logInfo(text, { issuer });
}

/** The same as warnings of the file. Rejects for a configuration that cannot be used. */
async function prefixWarnings(inspection: PartInspection): Promise<readonly PlacedMistake[]> {
  const { "authentication-config": file } = settingsOf(inspection.setting, flags), setting = "authentication-config";
  const { configuration } = await readConfiguration(inspection);
  const faults = bareIssuers(configuration).map(({ text, path }) => ({ text, path }));
  if (faults.length === 0) return [];
  return [file === "" ? { text: setting, setting, faults } : { text: setting, setting, file, faults }];
}

function bareIssuers({ jwt = [] }: AuthenticationConfiguration) {
  return jwt.flatMap(({ issuer, claimMappings: { username, groups }, userValidationRules = [] }, index) => {
    const isBare = ({ prefix, expression = "" }: typeof username) =>
      prefix === "" || (expression !== "" && userValidationRules.length === 0);
    const bare = [...(isBare(username) ? ["user names"] : []), ...(isBare(groups) ? ["groups"] : [])];
    if (bare.length === 0) return [];
    const text = `tokens of an issuer may have any ${
      bare.join(" and ")
    }, system: ones too, because there is no prefix and no rule of users`;
    return [{ text, issuer: issuer.url, path: `jwt[${index}].claimMappings` }];
  });
}
