/** The options of fields and structs. docs/schema-language.md is made from their docstrings. */
import type { Json, JsonObject } from "./json.ts";
import type { ValidationRule } from "./structural-schema.ts";

/** A struct of which one field, the discriminator, selects which other field is used. */
export type Union = {
  /** The key of the discriminator. */
  readonly discriminator: string;
  /** The values of the discriminator, which are Go names of the members, by the keys of the members. */
  readonly members: Readonly<Record<string, string>>;
};
/**
 * The type of the default values of a field, which are values of the field's type. A default of a struct or record may be any object;
 * `defineResource` checks it.
 */
export type DefaultOf<T> = 0 extends 1 & T ? Json
  : [T] extends [readonly (infer E)[]] ? readonly DefaultOf<E>[]
  : [T] extends [object] ? JsonObject
  : [T] extends [Json] ? T
  : Json;

/** How a field differs from an optional one. `D` is the type of its default. */
export interface FieldOptions<D extends Json = Json> {
  /**
   * Clients must send the field. OpenAPI lists it in `required`, and its key is required in the TypeScript type. `checker` reports an absent
   * value, an empty text, list or record as `Required value`; a zero number or `false` cannot be told from an absent one without `pointer`.
   * Implies `written: "always"` unless `written` is set.
   */
  readonly required?: true;
  /**
   * The value of an absent field, applied to requests and to stored objects that lack it. OpenAPI publishes it. It must be a value of the
   * field's type. Implies `pointer`: a zero, an empty text or `false` that a client sends stays as it is. OpenAPI version 2 publishes no defaults.
   * For a list or record use `unpublishedDefault`.
   */
  readonly default?: D;
  /** The field cannot change on update: the function `immutable(struct)`, called in a hook `update`, returns the error `field is immutable`. */
  readonly immutable?: true;
  /** A note that the answer shows as a Warning header when a client sets the field. Example: `"use spec.colour instead"`. */
  readonly deprecated?: string;
  /**
   * Additional keys of the OpenAPI schema of this field. The server checks those that bound a value, such as `maxItems`, `minimum`, `pattern` and
   * `format`, as in schemas of custom resources, unless an update leaves the value as it is.
   */
  readonly publish?: { readonly [key: string]: Json };
  /**
   * Rules in CEL over `self`, the value of this field. Published as `x-kubernetes-validations`. Bounds in `publish` (`maxItems`,
   * `maxProperties`, `maxLength`) limit their estimated cost, and the rules do not run for a value that exceeds one of these.
   */
  readonly rules?: readonly ValidationRule[];
  /**
   * A feature gate of the plugin. While the gate is off, a value is removed from requests, unless the stored object already has the field. The
   * schema that OpenAPI publishes does not depend on gates.
   */
  readonly gate?: string;
  /**
   * The field is a pointer in Go: an absent value differs from a zero one (0, `""`, `false`). JSON and protobuf contain the field only if it
   * is present, also when it is zero. Without this option a zero value is the same as an absent one, and JSON omits it. Lists and
   * records are never pointers.
   */
  readonly pointer?: true;
  /**
   * Whether JSON has the key if the value is zero. `"always"`: it does, and the key is required in the TypeScript type (Go without
   * `omitempty`). `"omitEmpty"`: it does not, also for a field with `required`. Default: `"always"` with `required`, else `"omitEmpty"`.
   */
  readonly written?: "always" | "omitEmpty";
  /** The field is no pointer although it has a default (a plain value in Go): its zero value is the same as an absent field, and gets the default. */
  readonly zeroIsAbsent?: true;
  /**
   * A default that OpenAPI does not publish. It is the value of an absent field, and for a list or record also of an empty one. Implies `pointer`,
   * except for lists and records. For a field with a gate it applies while the gate is on.
   */
  readonly unpublishedDefault?: D;
  /** The field is a struct whose keys are in the parent object in JSON, OpenAPI, CEL and the TypeScript type. In protobuf it is a submessage. */
  readonly inline?: true;
  /**
   * Behaviour in strategic merge patches. `strategy: ["merge"]` merges lists instead of replacing them; items of structs are found by
   * `mergeKey`. `["retainKeys"]` removes the fields that the patch's `$retainKeys` does not name. OpenAPI publishes both as `x-kubernetes-patch-*`.
   */
  readonly patch?: { readonly strategy?: readonly ("merge" | "replace" | "retainKeys")[]; readonly mergeKey?: string };
  /**
   * Server-side apply merges the members of this struct or record one by one, even if its type is atomic. OpenAPI publishes
   * `x-kubernetes-map-type: granular`.
   */
  readonly granular?: true;
  /** Name of the field in Go, shown in errors of protobuf decoding. Default: the key with its first word in upper case. */
  readonly goName?: string;
  /**
   * JSON has `[]` for an empty list that is always written. Default: `null`, as Go writes a nil slice. Only kinds of
   * Kubernetes whose Go code allocates the list need it.
   */
  readonly made?: true;
  /**
   * An empty map or list of a request stays in the object for hooks, and is not stored. Only kinds of Kubernetes whose rules distinguish an
   * empty value from an absent one need it. Not for fields with `written: "always"`.
   */
  readonly keepsEmpty?: true;
  /**
   * The value must not be empty, as the marker `+k8s:required` in Go says. It is checked for kinds with `rules: "compared"`. Other kinds use
   * `required` and `checker`.
   */
  readonly mustBeSet?: true;
}

/** How a struct differs from a plain one. Every member is optional. */
export interface StructOptions {
  /** Group version of the type, such as `example.com/v1`: a part of its names in OpenAPI and Go. Default: that of the kind that contains it. */
  readonly package?: string;
  /** Description of the type, shown in OpenAPI and `kubectl explain`. */
  readonly doc?: string;
  /** Server-side apply treats an object of this struct as one value, with one owner. OpenAPI publishes `x-kubernetes-map-type: atomic`. */
  readonly atomic?: true;
  /** The discriminator and the members of a union. OpenAPI publishes them; the rules of the kind check them. */
  readonly union?: Union;
  /** Rules in CEL over `self`, an object of this struct. OpenAPI publishes them as `x-kubernetes-validations`. */
  readonly rules?: readonly ValidationRule[];
  /** Applies defaults that depend on other fields, after the defaults of the fields. Must return `self` itself if nothing changes. */
  readonly applyDefaults?: (self: any) => any;
  /** Functions such as `applyDefaults`, by the feature gates that switch them on. They run after `applyDefaults`. */
  readonly gatedDefaults?: Readonly<Record<string, (self: any) => any>>;
}
