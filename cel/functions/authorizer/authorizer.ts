/** Authorization checks: `authorizer.group("").resource("pods").check("get")`, upstream's libraries `kubernetes.authz` and `authzSelectors`. */
import type { AuthorizationAttributes, AuthorizationDecision } from "../../../core/access.ts";
import { dns1123Label, dns1123Subdomain } from "../../../core/meta/names.ts";
import { parseFieldSelector } from "../../../core/selectors/field.ts";
import { parseLabelSelector } from "../../../core/selectors/label.ts";
import { type Caller, systemGroups } from "../../../core/user-info.ts";
import { exactly, listBase, plus, scale, structBase, traversalFactor } from "../../cost/range.ts";
import type { FunctionDeclaration, Range } from "../../declarations.ts";
import { boolType, objectType, stringType, type Type } from "../../types.ts";
import { CelError, OpaqueValue, type Value } from "../../values.ts";
import { type Costs, declare, fixed, sizeOf } from "../costs.ts";
import type { Library } from "../library.ts";
import { member } from "../standard/overload.ts";
import { trim } from "../strings/edit.ts";
import type { AccessCheck, AccessPort } from "./decisions.ts";

const prefix = "kubernetes.authorization.";
export const authorizerType = objectType(`${prefix}Authorizer`);
export const resourceCheckType = objectType(`${prefix}ResourceCheck`);
const pathCheckType = objectType(`${prefix}PathCheck`);
const groupCheckType = objectType(`${prefix}GroupCheck`);
const decisionType = objectType(`${prefix}Decision`);

/** A value that cannot be compared. */
abstract class Uncomparable extends OpaqueValue {
  equals(): CelError {
    return new CelError("no such overload");
  }
}

/** The variable `authorizer`: it makes checks for one user. */
export class AuthorizerValue extends Uncomparable {
  readonly type = authorizerType.name;
  readonly user: Caller;
  readonly port: AccessPort;
  constructor(user: Caller, port: AccessPort) {
    super();
    this.user = user;
    this.port = port;
  }
}

class PathCheck extends Uncomparable {
  readonly type = pathCheckType.name;
  readonly authorizer: AuthorizerValue;
  readonly path: string;
  constructor(authorizer: AuthorizerValue, path: string) {
    super();
    this.authorizer = authorizer;
    this.path = path;
  }
}

class GroupCheck extends Uncomparable {
  readonly type = groupCheckType.name;
  readonly authorizer: AuthorizerValue;
  readonly group: string;
  constructor(authorizer: AuthorizerValue, group: string) {
    super();
    this.authorizer = authorizer;
    this.group = group;
  }
}

/** The attributes of a check of a resource. */
interface Resource {
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  readonly fieldSelector: string;
  readonly labelSelector: string;
}

/** The variable `authorizer.requestResource`, or a check that an expression makes. */
export class ResourceCheck extends Uncomparable {
  readonly type = resourceCheckType.name;
  readonly authorizer: AuthorizerValue;
  readonly resource: Resource;
  constructor(authorizer: AuthorizerValue, resource: Partial<Resource>) {
    super();
    this.authorizer = authorizer;
    this.resource = { ...noResource, ...resource };
  }
  with(change: Partial<Resource>): ResourceCheck {
    return new ResourceCheck(this.authorizer, { ...this.resource, ...change });
  }
}
const noResource: Resource = {
  group: "",
  resource: "",
  subresource: "",
  namespace: "",
  name: "",
  fieldSelector: "",
  labelSelector: "",
};

class Decision extends Uncomparable {
  readonly type = decisionType.name;
  readonly decision: AuthorizationDecision;
  constructor(decision: AuthorizationDecision) {
    super();
    this.decision = decision;
  }
}

const undecided = new CelError("the authorization check is not decided yet");

function decisionOf({ user, port }: AuthorizerValue, check: Omit<AccessCheck, "user">): Value {
  const decision = port.decide({ user, ...check });
  return decision === undefined ? undecided : new Decision(decision);
}

const outsideOfResources = {
  isResourceRequest: false,
  path: "",
  group: "",
  version: "",
  resource: "",
  subresource: "",
  namespace: "",
  name: "",
};

function checkPath({ authorizer, path }: PathCheck, verb: string): Value {
  return decisionOf(authorizer, { attributes: { ...outsideOfResources, path, verb } });
}

function checkResource({ authorizer, resource: checked }: ResourceCheck, verb: string): Value {
  const { fieldSelector, labelSelector, ...resource } = checked;
  const fields = fieldSelector === "" ? undefined : parseFieldSelector(fieldSelector);
  const labels = labelSelector === "" ? undefined : parseLabelSelector(labelSelector);
  const attributes: AuthorizationAttributes = {
    isResourceRequest: true,
    path: "",
    version: "*",
    verb,
    ...resource,
    ...(fields !== undefined && "requirements" in fields ? { fieldSelector: fields.requirements } : {}),
    ...(labels !== undefined && "requirements" in labels ? { labelSelector: labels.requirements } : {}),
  };
  return decisionOf(authorizer, {
    attributes,
    ...(fields !== undefined && "error" in fields ? { fieldSelectorError: fields.error } : {}),
    ...(labels !== undefined && "error" in labels ? { labelSelectorError: labels.error } : {}),
  });
}

function authorizerOfServiceAccount({ port }: AuthorizerValue, namespace: string, name: string): Value {
  if (dns1123Subdomain(name).length > 0) return new CelError("Invalid service account name");
  if (dns1123Label(namespace).length > 0) return new CelError("Invalid service account namespace");
  const groups = [systemGroups.serviceAccounts, `${systemGroups.serviceAccounts}:${namespace}`];
  return new AuthorizerValue({ name: `system:serviceaccount:${namespace}:${name}`, groups }, port);
}

function isBlank(text: string): boolean {
  return trim(text) === "";
}

/** Declares a function that sets a member of a check of a resource. */
function declareSetter(name: keyof Resource, id: string, costs: Costs = fixed(1)): FunctionDeclaration {
  const call = (check?: Value, value?: Value) => (check as ResourceCheck).with({ [name]: value as string });
  return declare(name, costs, member(id, [resourceCheckType, stringType], resourceCheckType, call));
}

function declareOfDecision(name: string, result: Type, call: (decision: AuthorizationDecision) => Value): FunctionDeclaration {
  const overload = member(`decision_${name}`, [decisionType], result, (decision) => call((decision as Decision).decision));
  return declare(name, fixed(1), overload);
}

/** Cost units of a check. Two checks fit into an evaluation. */
const checkCost = 350_000;

/** The costs of reading a selector and of making its list of requirements. Two characters count as one requirement. */
const selecting: Costs = {
  cost: (_, args) => Number(selectorRange(exactly(BigInt(sizeOf(args[1])))).max),
  estimate: ({ args }, estimator) => args[0] && { cost: selectorRange(estimator.sizeOf(args[0])) },
};
function selectorRange(length: Range): Range {
  const requirements = scale(scale(length, 0.5), Number(listBase + structBase));
  return plus(plus(exactly(listBase), scale(length, traversalFactor)), requirements);
}

export const authorizerLibrary: Library = {
  name: "kubernetes.authz",
  since: 27,
  functions: [
    declare(
      "path",
      fixed(1),
      member(
        "authorizer_path",
        [authorizerType, stringType],
        pathCheckType,
        (authorizer, path) =>
          isBlank(path as string) ? new CelError("path must not be empty") : new PathCheck(authorizer as AuthorizerValue, path as string),
      ),
    ),
    declare(
      "group",
      fixed(1),
      member(
        "authorizer_group",
        [authorizerType, stringType],
        groupCheckType,
        (authorizer, group) => new GroupCheck(authorizer as AuthorizerValue, group as string),
      ),
    ),
    declare(
      "serviceAccount",
      fixed(1),
      member(
        "authorizer_serviceaccount",
        [authorizerType, stringType, stringType],
        authorizerType,
        (authorizer, namespace, name) => authorizerOfServiceAccount(authorizer as AuthorizerValue, namespace as string, name as string),
      ),
    ),
    declare(
      "resource",
      fixed(1),
      member("groupcheck_resource", [groupCheckType, stringType], resourceCheckType, (check, resource) => {
        const { authorizer, group } = check as GroupCheck;
        if (isBlank(resource as string)) return new CelError("resource must not be empty");
        return new ResourceCheck(authorizer, { group, resource: resource as string });
      }),
    ),
    declareSetter("subresource", "resourcecheck_subresource"),
    declareSetter("namespace", "resourcecheck_namespace"),
    declareSetter("name", "resourcecheck_name"),
    declare(
      "check",
      fixed(checkCost),
      member("pathcheck_check", [pathCheckType, stringType], decisionType, (check, verb) => checkPath(check as PathCheck, verb as string)),
      member(
        "resourcecheck_check",
        [resourceCheckType, stringType],
        decisionType,
        (check, verb) => checkResource(check as ResourceCheck, verb as string),
      ),
    ),
    declareOfDecision("errored", boolType, ({ error }) => error !== undefined),
    declareOfDecision("error", stringType, ({ error }) => error ?? ""),
    declareOfDecision("allowed", boolType, ({ verdict }) => verdict === "allow"),
    declareOfDecision("reason", stringType, ({ reason }) => reason),
  ],
};

export const authorizerSelectorsLibrary: Library = {
  name: "kubernetes.authzSelectors",
  since: 31,
  functions: [
    declareSetter("fieldSelector", "authorizer_fieldselector", selecting),
    declareSetter("labelSelector", "authorizer_labelselector", selecting),
  ],
};
