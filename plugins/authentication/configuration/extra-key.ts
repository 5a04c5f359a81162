/** Keys of extra values of users: a domain and a path. */
import { type FieldError, invalid } from "../../../core/field-error.ts";
import { validateDomainPath } from "../../../core/meta/domain-path.ts";

const reserved = ["kubernetes.io", "k8s.io"];

/** The mistakes of a key, with upstream's messages. */
export function validateExtraKey(key: string, path: string): readonly FieldError[] {
  const errors = [...validateDomainPath(key, path)];
  if (key !== key.toLowerCase()) errors.push(invalid(path, key, "must be lowercase"));
  const slash = key.indexOf("/"), domain = slash < 0 ? "" : key.slice(0, slash);
  if (reserved.some((each) => domain === each || domain.endsWith(`.${each}`))) {
    errors.push(invalid(path, key, "k8s.io, kubernetes.io and their subdomains are reserved for Kubernetes use"));
  }
  return errors;
}
