/** Types of the variables in configurations of access: the user of a token, and the review of a request. */
import { dynType, type FieldType, listType, mapType, objectType, stringType, type Type, type TypeSource } from "../types.ts";

const texts = listType(stringType);
const requirement = objectType("kubernetes.SelectorRequirement");
const fieldSelector = objectType("kubernetes.FieldSelectorAttributes");
const labelSelector = objectType("kubernetes.LabelSelectorAttributes");
const resourceAttributes = objectType("kubernetes.ResourceAttributes");
const nonResourceAttributes = objectType("kubernetes.NonResourceAttributes");

/** The type of `claims`. */
export const claimsType: Type = mapType(stringType, dynType);
/** The type of `user`. */
export const userType = objectType("kubernetes.UserInfo");
/** The type of `request`. */
export const reviewType = objectType("kubernetes.SubjectAccessReviewSpec");

type Fields = readonly (readonly [string, Type])[];
const ofText = (...names: readonly string[]): Fields => names.map((name) => [name, stringType]);
const selector: Fields = [...ofText("rawSelector"), ["requirements", listType(requirement)]];
const person: Fields = [...ofText("uid"), ["groups", texts], ["extra", mapType(stringType, texts)]];

const types: ReadonlyMap<string, ReadonlyMap<string, Type>> = new Map(
  ([
    [userType, [...ofText("username"), ...person]],
    [
      reviewType,
      [...ofText("user"), ...person, ["resourceAttributes", resourceAttributes], ["nonResourceAttributes", nonResourceAttributes]],
    ],
    [
      resourceAttributes,
      [
        ...ofText("namespace", "verb", "group", "version", "resource", "subresource", "name"),
        ["fieldSelector", fieldSelector],
        ["labelSelector", labelSelector],
      ],
    ],
    [nonResourceAttributes, ofText("path", "verb")],
    [fieldSelector, selector],
    [labelSelector, selector],
    [requirement, [...ofText("key", "operator"), ["values", texts]]],
  ] satisfies readonly (readonly [{ readonly name: string }, Fields])[]).map(([{ name }, fields]) => [name, new Map(fields)]),
);

/** The object types. They cannot be constructed. */
export const accessTypes: TypeSource = Object.freeze<TypeSource>({
  hasType: (name) => types.has(name),
  field(type, field): FieldType | undefined {
    const found = types.get(type)?.get(field);
    return found === undefined ? undefined : { type: found };
  },
  fieldNames: () => [],
});
