/** Semantic versions: `semver("1.2.3")`, upstream's library `kubernetes.Semver`. */
import { Unreadable } from "../../../core/scalars/unreadable.ts";
import type { FunctionDeclaration } from "../../declarations.ts";
import { boolType, intType, objectType, stringType, type Type } from "../../types.ts";
import { spend } from "../../value/work.ts";
import { CelError, OpaqueValue, type Value } from "../../values.ts";
import { declare, fixed, reading } from "../costs.ts";
import type { Library } from "../library.ts";
import { compareSemver, parseSemver, parseTolerant, type Semver, semverText } from "./parse.ts";

export const semverType = objectType("kubernetes.Semver");

/** A semantic version. Equal versions may differ in their build identifiers. */
export class SemverValue extends OpaqueValue {
  readonly type = "kubernetes.Semver";
  readonly version: Semver;
  constructor(version: Semver) {
    super();
    this.version = version;
  }
  override get text(): string {
    return semverText(this.version);
  }
  equals(other: Value): boolean | CelError {
    return other instanceof SemverValue ? compareVersions(this, other) === 0 : new CelError("no such overload");
  }
}

/** Compares versions. Their identifiers may be many, so they count as work. */
function compareVersions(a: SemverValue, b: SemverValue): number {
  spend(Math.min(a.version.pre.length, b.version.pre.length) * 4);
  return compareSemver(a.version, b.version);
}

function semverOf(text: string, normalize: boolean): SemverValue | CelError {
  const version = normalize ? parseTolerant(text) : parseSemver(text);
  return version instanceof Unreadable ? new CelError(version.error) : new SemverValue(version);
}

/** Declares a function that returns a number of a version as an int. As in upstream, numbers from 2^63 on wrap around. */
function number(name: "major" | "minor" | "patch"): FunctionDeclaration {
  return declare(name, fixed(1), {
    id: `semver_${name}`,
    member: true,
    args: [semverType],
    result: intType,
    call: (version) => BigInt.asIntN(64, (version as SemverValue).version[name]),
  });
}

function comparison(name: string, id: string, result: Type, call: (order: number) => Value): FunctionDeclaration {
  return declare(name, fixed(1), {
    id,
    member: true,
    args: [semverType, semverType],
    result,
    call: (a, b) => call(compareVersions(a as SemverValue, b as SemverValue)),
  });
}

export const semverLibrary: Library = {
  name: "kubernetes.Semver",
  since: 33,
  functions: [
    declare("semver", reading(1), {
      id: "string_to_semver",
      member: false,
      args: [stringType],
      result: semverType,
      call: (text) => semverOf(text as string, false),
    }, {
      id: "string_bool_to_semver",
      member: false,
      args: [stringType, boolType],
      result: semverType,
      call: (text, normalize) => semverOf(text as string, normalize as boolean),
    }),
    declare("isSemver", reading(1), {
      id: "is_semver_string",
      member: false,
      args: [stringType],
      result: boolType,
      call: (text) => !(semverOf(text as string, false) instanceof CelError),
    }, {
      id: "is_semver_string_bool",
      member: false,
      args: [stringType, boolType],
      result: boolType,
      call: (text, normalize) => !(semverOf(text as string, normalize as boolean) instanceof CelError),
    }),
    comparison("isGreaterThan", "semver_is_greater_than", boolType, (order) => order > 0),
    comparison("isLessThan", "semver_is_less_than", boolType, (order) => order < 0),
    comparison("compareTo", "semver_compare_to", intType, (order) => BigInt(order)),
    number("major"),
    number("minor"),
    number("patch"),
  ],
};
