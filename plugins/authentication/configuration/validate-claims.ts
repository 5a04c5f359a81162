/** The rules of an issuer's claims: what they must fulfil, and how they become a user. With upstream's order and messages. */
import { append } from "../../../core/append.ts";
import { type AccessExpression, compileAccess, isAccessExpression } from "../../../cel/access/expressions.ts";
import { duplicate, type FieldError, invalid, required } from "../../../core/field-error.ts";
import { validateExtraKey } from "./extra-key.ts";
import type { IssuerConfig } from "./schema.ts";

type Prefixed = IssuerConfig["claimMappings"]["username"];

const emailField = "email", verifiedField = "email_verified";
const emailRule = "claims.email_verified must be used in claimMappings.username.expression or claimMappings.extra[*].valueExpression or " +
  "claimValidationRules[*].expression when claims.email is used in claimMappings.username.expression";

/** The mistakes of the rules and mappings of an issuer. `path`: its field. */
export function validateClaims(issuer: IssuerConfig, path: string): readonly FieldError[] {
  return new ClaimsValidation().validate(issuer, path);
}

class ClaimsValidation {
  readonly #errors: FieldError[] = [];
  #usesEmail = false;
  #usesVerified = false;

  validate(issuer: IssuerConfig, path: string): readonly FieldError[] {
    this.#claimRules(issuer, `${path}.claimValidationRules`);
    this.#mappings(issuer, `${path}.claimMappings`);
    this.#userRules(issuer, `${path}.userValidationRules`);
    return this.#errors;
  }

  #claimRules({ claimValidationRules = [] }: IssuerConfig, rulesPath: string): void {
    const claims = new Set<string>(), expressions = new Set<string>();
    for (const [index, { claim = "", requiredValue = "", expression = "", message = "" }] of claimValidationRules.entries()) {
      const path = `${rulesPath}[${index}]`;
      if (claim !== "" && expression !== "") this.#errors.push(invalid(path, claim, "claim and expression can't both be set"));
      else if (claim === "" && expression === "") this.#errors.push(required(path, "claim or expression is required"));
      else if (claim !== "") {
        if (message !== "") this.#errors.push(invalid(`${path}.message`, message, "may not be specified when claim is set"));
        this.#isNew(claims, claim, `${path}.claim`);
      } else {
        if (requiredValue !== "") {
          this.#errors.push(invalid(`${path}.requiredValue`, requiredValue, "may not be specified when expression is set"));
        }
        if (this.#isNew(expressions, expression, `${path}.expression`)) this.#compileRule(expression, `${path}.expression`, "claims");
      }
    }
  }

  #mappings({ claimMappings: { username, groups, uid, extra = [] } }: IssuerConfig, path: string): void {
    const found = this.#prefixed(username, `${path}.username`, true);
    this.#usesEmail = found?.selects(emailField) === true;
    this.#noteVerified(found);
    this.#prefixed(groups, `${path}.groups`, false);
    if (isSet(uid.claim) && isSet(uid.expression)) {
      this.#errors.push(invalid(`${path}.uid`, "", "claim and expression can't both be set"));
    } else if (isSet(uid.expression)) this.#compile(uid.expression, `${path}.uid.expression`);
    this.#extra(extra, `${path}.extra`);
    if (this.#usesEmail && !this.#usesVerified) {
      this.#errors.push(invalid(`${path}.username.expression`, username.expression, emailRule));
    }
  }

  #extra(mappings: NonNullable<IssuerConfig["claimMappings"]["extra"]>, mappingsPath: string): void {
    const keys = new Set<string>();
    for (const [index, { key = "", valueExpression = "" }] of mappings.entries()) {
      const path = `${mappingsPath}[${index}]`;
      append(this.#errors, validateExtraKey(key, `${path}.key`));
      if (!this.#isNew(keys, key, `${path}.key`)) continue;
      if (valueExpression === "") this.#errors.push(required(`${path}.valueExpression`, ""));
      else this.#noteVerified(this.#compile(valueExpression, `${path}.valueExpression`));
    }
  }

  #userRules({ userValidationRules = [] }: IssuerConfig, rulesPath: string): void {
    const expressions = new Set<string>();
    for (const [index, { expression = "" }] of userValidationRules.entries()) {
      const path = `${rulesPath}[${index}].expression`;
      if (expression === "") this.#errors.push(required(path, ""));
      else if (this.#isNew(expressions, expression, path)) this.#compileRule(expression, path, "user");
    }
  }

  #prefixed({ claim, prefix, expression }: Prefixed, path: string, isRequired: boolean): AccessExpression | undefined {
    if (isSet(expression)) {
      if (isSet(claim)) this.#errors.push(invalid(path, "", "claim and expression can't both be set"));
      else {
        if (prefix !== undefined) this.#errors.push(invalid(`${path}.prefix`, prefix, "may not be specified when expression is set"));
        return this.#compile(expression, `${path}.expression`);
      }
    } else if (!isSet(claim)) {
      if (isRequired) this.#errors.push(required(path, "claim or expression is required"));
    } else if (prefix === undefined) {
      const why = "prefix is required when claim is set. It can be set to an empty string to disable prefixing";
      this.#errors.push(required(`${path}.prefix`, why));
    }
    return undefined;
  }

  /** Whether the text is new; else it is a mistake. */
  #isNew(seen: Set<string>, text: string, path: string): boolean {
    if (seen.has(text)) this.#errors.push(duplicate(path, text));
    const isNew = !seen.has(text);
    seen.add(text);
    return isNew;
  }

  #compile(text: string, path: string): AccessExpression | undefined {
    return this.#kept(compileAccess(text, { path, variable: "claims", result: "any" }));
  }

  #compileRule(text: string, path: string, variable: "claims" | "user"): void {
    const compiled = this.#kept(compileAccess(text, { path, variable, result: "bool" }));
    if (variable === "claims") this.#noteVerified(compiled);
  }

  #kept(compiled: AccessExpression | FieldError): AccessExpression | undefined {
    if (isAccessExpression(compiled)) return compiled;
    this.#errors.push(compiled);
    return undefined;
  }

  #noteVerified(expression: AccessExpression | undefined): void {
    this.#usesVerified ||= expression?.selects(verifiedField) === true;
  }
}

function isSet(text: string | undefined): text is string {
  return text !== undefined && text !== "";
}
