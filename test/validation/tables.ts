/** The tables of rules, in the order of the reference. */
import { configMap } from "./kinds/config-map.ts";
import { namespace } from "./kinds/namespace.ts";
import { objectMeta } from "./kinds/object-meta.ts";
import { secret } from "./kinds/secret.ts";
import type { KindRules } from "./rule.ts";

export const tables: readonly KindRules[] = [objectMeta, configMap, secret, namespace];
