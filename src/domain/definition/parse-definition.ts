import type * as z from "zod/mini";
import { isObject } from "#domain/json.ts";
import {
  bodyParseOptions,
  describeUnknownProperty,
  zodErrors,
} from "#domain/problem/field-errors.ts";
import type { FieldError } from "#domain/problem/problem.ts";
import type { CollectionKind } from "./collection.ts";
import {
  documentSchemas,
  fieldProperties,
  fieldSchema,
  typelessFieldSchema,
  type DefinitionDocument,
  type FieldDocument,
} from "./document.ts";
import { acceptanceErrors, documentErrors, keyErrors } from "./document-errors.ts";
import { duplicateKeyErrors, fieldListErrors, ruleErrors } from "./field.ts";

interface CheckedDefinition {
  /** Absent when the schema or the size limits reject the document. */
  document?: DefinitionDocument;
  errors: FieldError[];
}

/** Checks a definition document. `pathKey` is the key in the request's path. Every error is `invalid_definition`. */
export function checkDefinition(
  kind: CollectionKind,
  pathKey: string,
  body: unknown,
): CheckedDefinition {
  const structureErrors = documentErrors(body);
  if (structureErrors.length > 0) return { errors: structureErrors };
  const result = documentSchemas[kind]().safeParse(body, bodyParseOptions);
  if (!result.success) return { errors: invalidDocumentErrors(body, result.error.issues) };
  const document = result.data;
  const errors = [
    ...keyErrors(document.key, pathKey),
    ...fieldListErrors(document.fields, ["fields"]),
  ];
  if ("acceptance" in document) errors.push(...acceptanceErrors(document.acceptance));
  return { document, errors };
}

type Issue = z.core.$ZodIssue;
type Path = readonly PropertyKey[];

/** Reports every error of a document that does not match its schema. */
function invalidDocumentErrors(body: unknown, issues: readonly Issue[]): FieldError[] {
  const errorsOfTypelessFields = issues
    .filter(({ code, path }) => code === "invalid_union" && path.at(-1) === "type")
    .flatMap(({ path }) => errorsWithoutType(valueAt(body, path.slice(0, -1)), path.slice(0, -1)));
  return [
    ...zodErrors(issues, "invalid_definition"),
    ...errorsOfTypelessFields,
    ...ruleErrorsOfValidParts(isObject(body) ? body["fields"] : undefined),
  ];
}

/**
 * The schema is a union on `type`, so without a valid type it reports nothing else. This adds the errors of unknown
 * properties and of the properties that all types share.
 */
function errorsWithoutType(field: unknown, path: Path): FieldError[] {
  if (!isObject(field)) return [];
  const result = typelessFieldSchema().safeParse(field, bodyParseOptions);
  const issues = result.success ? [] : result.error.issues;
  const keys = Object.keys(field).filter((key) => !fieldProperties().has(key));
  const message = describeUnknownProperty([...fieldProperties()]);
  const unknownPropertyIssues: Issue[] =
    keys.length > 0 ? [{ code: "unrecognized_keys", keys, path: [], message, input: field }] : [];
  return zodErrors(
    [...issues, ...unknownPropertyIssues].map((issue) => ({
      ...issue,
      path: [...path, ...issue.path],
    })),
    "invalid_definition",
  );
}

/** Checks the valid parts of a document that violates the schema: repeated keys and contradictory rules. */
function ruleErrorsOfValidParts(fields: unknown): FieldError[] {
  if (!Array.isArray(fields)) return [];
  const list: unknown[] = fields;
  const keys = list.map((field) => (isObject(field) ? field["key"] : undefined));
  const fieldRuleErrors = list.flatMap((field, index) => {
    const document = withoutInvalidProperties(field);
    return document ? ruleErrors(document, ["fields", index]) : [];
  });
  return [...duplicateKeyErrors(keys, ["fields"]), ...fieldRuleErrors];
}

/** Drops the invalid properties of a field. Returns undefined when the field requires one of them. */
function withoutInvalidProperties(field: unknown): FieldDocument | undefined {
  const result = fieldSchema().safeParse(field);
  if (result.success) return result.data;
  if (!isObject(field)) return undefined;
  const invalidKeys = new Set(
    result.error.issues.flatMap((issue) =>
      issue.code === "unrecognized_keys" ? issue.keys : issue.path.slice(0, 1).map(String),
    ),
  );
  const validEntries = Object.entries(field).filter(([key]) => !invalidKeys.has(key));
  return fieldSchema().safeParse(Object.fromEntries(validEntries)).data;
}

function valueAt(body: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (value, step) =>
      typeof value === "object" && value !== null
        ? (value as Record<PropertyKey, unknown>)[step]
        : undefined,
    body,
  );
}
