/** The rules of cluster addresses and IP families of services, with upstream's texts and order. */
import { duplicate, type FieldError, invalid, notSupported, required } from "../../plugin.ts";
import type { Gates } from "../../toolbox.ts";
import { isStrict } from "../shared/gates.ts";
import { familyOf, validateAddress } from "../shared/addresses.ts";
import { addressesOf, familiesOf, isHeadless, isName, none } from "./service-facts.ts";
import type { Service } from "./service-schema.ts";

const families = ["IPv4", "IPv6"];
const policies = ["PreferDualStack", "RequireDualStack", "SingleStack"];
const path = "spec.clusterIPs";

/** The rules that hold before addresses are allocated, and after it. */
export function validateAddresses(next: Service, prior: Service | undefined, gates: Gates): readonly FieldError[] {
  if (isName(next)) return [];
  const { clusterIP = "", ipFamilyPolicy } = next.spec, addresses = addressesOf(next), named = familiesOf(next);
  const known = prior === undefined ? [] : addressesOf(prior);
  const isMixed = addresses[0] === none && addresses.length > 1;
  const wrong = addresses.flatMap((each, i) =>
    (i === 0 && each === none) || known.includes(each) ? [] : validateAddress(each, `${path}[${i}]`, isStrict(gates))
  );
  const errors: readonly FieldError[] = [
    ...(clusterIP === ""
      ? addresses.length === 0 ? [] : [invalid(path, addresses, "must be empty when `clusterIP` is not specified")]
      : addresses.length === 0
      ? [required(path, "")]
      : addresses[0] === clusterIP
      ? []
      : [invalid(path, addresses, "first value must match `clusterIP`")]),
    ...named.flatMap((each, i) => [
      ...(families.includes(each) ? [] : [notSupported(`spec.ipFamilies[${i}]`, each, families)]),
      ...(named.indexOf(each) < i ? [duplicate(`spec.ipFamilies[${i}]`, each)] : []),
    ]),
    ...(ipFamilyPolicy === undefined || policies.includes(ipFamilyPolicy)
      ? []
      : [notSupported("spec.ipFamilyPolicy", ipFamilyPolicy, policies)]),
    ...(isMixed ? [invalid(path, addresses, "'None' must be the first and only value")] : []),
    ...wrong,
    ...(addresses.length > 2 ? [invalid(path, addresses, "may only hold up to 2 values")] : []),
  ];
  return isMixed || wrong.length > 0 ? errors : [...errors, ...validateFamilies(next)];
}

function validateFamilies(next: Service): readonly FieldError[] {
  const addresses = addressesOf(next), named = familiesOf(next);
  const isDual = addresses.length > 1 && new Set(addresses.map(familyOf)).size === 2;
  return [
    ...(addresses.length > 1 && !isDual ? [invalid(path, addresses, "may specify no more than one IP for each IP family")] : []),
    ...(isHeadless(next)
      ? []
      : addresses.slice(0, named.length).flatMap((each, i) =>
        families.includes(named[i]!) && (named[i] === "IPv6") !== (familyOf(each) === "IPv6")
          ? [invalid(`${path}[${i}]`, each, `expected an ${named[i]} value as indicated by \`ipFamilies[${i}]\``)]
          : []
      )),
  ];
}

const fixed = "may not change once set";

/** The rules of changes of addresses and families. */
export function validateAddressChanges(next: Service, prior: Service): readonly FieldError[] {
  if (isName(next) || isName(prior)) return [];
  const wasHeadless = isHeadless(prior), staysHeadless = isHeadless(next);
  return [
    ...(wasHeadless && staysHeadless ? [] : validateAddressList(next, prior)),
    ...(wasHeadless || staysHeadless ? [] : validateFamilyList(next, prior)),
  ];
}

function validateAddressList(next: Service, prior: Service): readonly FieldError[] {
  const after = addressesOf(next), before = addressesOf(prior), { ipFamilyPolicy } = next.spec;
  if (after.length === before.length) {
    return before.flatMap((each, i) => each === after[i] ? [] : [invalid(`${path}[${i}]`, after, fixed)]);
  }
  const moved = before.length > 0 && after.length > 0 && after[0] !== before[0] ? [invalid(`${path}[0]`, after, fixed)] : [];
  if (before.length < after.length) return moved;
  return [
    ...(after.length === 0 ? [invalid(`${path}[0]`, next.spec.clusterIPs ?? null, "primary clusterIP can not be unset")] : []),
    ...moved,
    ...(after.length === 1 && ipFamilyPolicy !== "SingleStack"
      ? [invalid("spec.ipFamilyPolicy", ipFamilyPolicy, "must be set to 'SingleStack' when releasing the secondary clusterIP")]
      : []),
  ];
}

function validateFamilyList(next: Service, prior: Service): readonly FieldError[] {
  const after = familiesOf(next), before = familiesOf(prior), { ipFamilyPolicy } = next.spec, at = "spec.ipFamilies[0]";
  if (after.length === before.length) return before.flatMap((each, i) => each === after[i] ? [] : [invalid(at, after, fixed)]);
  // As upstream, the error shows the addresses.
  const moved = before.length > 0 && after.length > 0 && after[0] !== before[0] ? [invalid(at, addressesOf(next), fixed)] : [];
  if (before.length < after.length) return moved;
  return [
    ...(addressesOf(next).length === 0 ? [invalid(at, next.spec.ipFamilies ?? null, "primary ipFamily can not be unset")] : []),
    ...moved,
    ...(after.length === 1 && ipFamilyPolicy !== "SingleStack"
      ? [invalid("spec.ipFamilyPolicy", ipFamilyPolicy, "must be set to 'SingleStack' when releasing the secondary ipFamily")]
      : []),
  ];
}
