/** Validation of environment variables, with upstream's order and texts. */
import { type FieldError, invalid, required } from "../../../plugin.ts";
import { append, configMapKey } from "../../../toolbox.ts";
import { validateNoBacksteps } from "../volumes/rules.ts";
import type { EnvFromSource, EnvVar, EnvVarSource } from "./environment.ts";
import { environmentName, label, subdomain, validateByRule } from "./rules.ts";
import { validateFieldRef, validateResourceFieldRef, variableFields } from "./validate-fields.ts";

export function validateEnv(variables: readonly EnvVar[], path: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  for (const [i, variable] of variables.entries()) {
    const at = `${path}[${i}]`, { name } = variable;
    append(errors, name === "" ? [required(`${at}.name`, "")] : validateByRule(environmentName, name, `${at}.name`));
    if (variable.valueFrom !== undefined) append(errors, validateValueFrom(variable, `${at}.valueFrom`));
  }
  return errors;
}

function validateValueFrom({ value = "", valueFrom }: EnvVar, path: string): readonly FieldError[] {
  if (valueFrom === undefined) return [];
  const count = Object.values(valueFrom).filter((each) => each !== undefined).length;
  const errors = [...validateSources(valueFrom, path)];
  if (count === 0) {
    const members = "`fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`";
    errors.push(invalid(path, "", `must specify one of: ${members}`));
  } else if (value !== "") errors.push(invalid(path, "", "may not be specified when `value` is not empty"));
  else if (count > 1) errors.push(invalid(path, "", "may not have more than one field specified at a time"));
  return errors;
}

function validateSources(source: EnvVarSource, path: string): readonly FieldError[] {
  const { fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef, fileKeyRef } = source;
  return [
    ...(fieldRef === undefined ? [] : validateFieldRef(fieldRef, variableFields, `${path}.fieldRef`)),
    ...(resourceFieldRef === undefined ? [] : validateResourceFieldRef(resourceFieldRef, `${path}.resourceFieldRef`, false)),
    ...(configMapKeyRef === undefined ? [] : validateKeyRef(configMapKeyRef, `${path}.configMapKeyRef`)),
    ...(secretKeyRef === undefined ? [] : validateKeyRef(secretKeyRef, `${path}.secretKeyRef`)),
    ...(fileKeyRef === undefined ? [] : validateFileRef(fileKeyRef, `${path}.fileKeyRef`)),
  ];
}
function validateKeyRef({ name = "", key }: { readonly name?: string; readonly key: string }, path: string): readonly FieldError[] {
  return [
    ...subdomain(name, `${path}.name`),
    ...(key === "" ? [required(`${path}.key`, "")] : validateByRule(configMapKey, key, `${path}.key`)),
  ];
}
function validateFileRef(ref: NonNullable<EnvVarSource["fileKeyRef"]>, path: string): readonly FieldError[] {
  const { volumeName, path: target, key } = ref;
  return [
    ...(key === "" ? [required(`${path}.key`, "")] : validateByRule(environmentName, key, `${path}.key`)),
    ...(volumeName === "" ? [required(`${path}.volumeName`, "")] : label(volumeName, `${path}.volumeName`)),
    ...(target === "" ? [required(`${path}.path`, "")] : validateNoBacksteps(target, `${path}.path`)),
  ];
}

/** Validates `envFrom`. Errors about the number of sources have the path of the list, as upstream. */
export function validateEnvFrom(sources: readonly EnvFromSource[], path: string): readonly FieldError[] {
  return sources.flatMap(({ prefix = "", configMapRef, secretRef }, i) => {
    const at = `${path}[${i}]`;
    const errors = prefix === "" ? [] : [...validateByRule(environmentName, prefix, `${at}.prefix`)];
    if (configMapRef !== undefined) append(errors, validateName(configMapRef, `${at}.configMapRef.name`));
    if (secretRef !== undefined) append(errors, validateName(secretRef, `${at}.secretRef.name`));
    if (configMapRef === undefined && secretRef === undefined) {
      errors.push(invalid(path, "", "must specify one of: `configMapRef` or `secretRef`"));
    } else if (configMapRef !== undefined && secretRef !== undefined) {
      errors.push(invalid(path, "", "may not have more than one field specified at a time"));
    }
    return errors;
  });
}
function validateName({ name = "" }: { readonly name?: string }, path: string): readonly FieldError[] {
  return name === "" ? [required(path, "")] : subdomain(name, path);
}
