import * as z from "zod/mini";
import type { Collection, CollectionKind } from "#domain/definition/collection.ts";
import { parsePrecondition, type Precondition } from "#domain/preconditions.ts";
import { isObject } from "#domain/json.ts";
import { bodyParseOptions, errorAt, zodErrors } from "#domain/problem/field-errors.ts";
import { Problem, type FieldError } from "#domain/problem/problem.ts";
import { lazy } from "#domain/lazy.ts";

/** One operation of a batch. Its `body` is still unvalidated. */
export type BatchOperation =
  /**
   * Imports set `rowId`, so that a repeated import leaves the item of the row unchanged. With
   * `unless`, it also leaves an item with that other ID unchanged.
   */
  | { op: "create"; rowId?: string; unless?: string; body: unknown }
  /** `assertDefinition` throws if the update means something else in this definition. Only bulk edits set it. */
  | {
      op: "update";
      id: string;
      body: unknown;
      ifMatch: Precondition | null;
      assertDefinition?: (collection: Collection) => void;
    }
  | { op: "upsert"; by: string; body: unknown }
  /** With `isKept`, the item can be restored. Only the administration area sets it. */
  | { op: "delete"; id: string; ifMatch: Precondition | null; isKept?: boolean }
  /** Reopens a closed submission. Only the administration area does this. */
  | { op: "reopen"; id: string; ifMatch: Precondition | null };

export const maxOperations = 100;

/** After this many errors in a batch, its remaining operations are not checked. */
export const maxBatchErrors = 1000;

const itemBodyProperties = lazy(() => ({
  data: z.optional(z.unknown()),
  status: z.optional(z.unknown()),
}));
const idSchema = lazy(() => z.string().check(z.minLength(1), z.maxLength(100)));
const ifMatchSchema = lazy(() => z.optional(z.string().check(z.maxLength(1000))));
const operationSchemas = lazy(() => ({
  create: z.strictObject({ op: z.literal("create"), ...itemBodyProperties() }),
  update: z.strictObject({
    op: z.literal("update"),
    id: idSchema(),
    if_match: ifMatchSchema(),
    ...itemBodyProperties(),
  }),
  upsert: z.strictObject({ op: z.literal("upsert"), by: z.string(), ...itemBodyProperties() }),
  delete: z.strictObject({ op: z.literal("delete"), id: idSchema(), if_match: ifMatchSchema() }),
}));

/** The operations of each kind of collection. Records cannot be deleted. */
const operationsByKind = {
  app: ["create", "update", "upsert"],
  form: ["create", "update", "upsert", "delete"],
} as const satisfies Record<CollectionKind, readonly BatchOperation["op"][]>;

interface ParsedBatch {
  /** Null for each invalid or unchecked operation. Empty if the body as a whole is invalid. */
  operations: (BatchOperation | null)[];
  errors: FieldError[];
}

/** Reads the operations of a batch. Reports the errors of all invalid ones, and stops after 1,000 errors. */
export function readBatch(kind: CollectionKind, body: unknown): ParsedBatch {
  const envelope = z
    .strictObject({
      operations: z.array(z.unknown()).check(z.minLength(1), z.maxLength(maxOperations)),
    })
    .safeParse(body, bodyParseOptions);
  if (!envelope.success) return { operations: [], errors: zodErrors(envelope.error.issues) };
  let errorCount = 0;
  const results = envelope.data.operations.map((operation, index) => {
    if (errorCount >= maxBatchErrors) return { operation: null, errors: [] };
    const parsed = parseOperation(kind, operation, index);
    errorCount += parsed.errors.length;
    return parsed;
  });
  return {
    operations: results.map(({ operation }) => operation),
    errors: results.flatMap(({ errors }) => errors),
  };
}

function parseOperation(
  kind: CollectionKind,
  entry: unknown,
  index: number,
): { operation: BatchOperation | null; errors: FieldError[] } {
  const path = ["operations", index];
  if (!isObject(entry)) {
    return { operation: null, errors: [errorAt(path, "invalid_type", "Must be an object.")] };
  }
  const allowedOps: readonly string[] = operationsByKind[kind];
  const { op } = entry;
  if (typeof op !== "string" || !allowedOps.includes(op)) {
    const code = op === undefined ? "required" : "not_an_option";
    const reason = `Must be one of ${allowedOps.map((name) => `"${name}"`).join(", ")}.`;
    return {
      operation: null,
      errors: [errorAt([...path, "op"], code, reason, { allowed: allowedOps })],
    };
  }
  const result = operationSchemas()[op as Exclude<BatchOperation["op"], "reopen">].safeParse(
    entry,
    bodyParseOptions,
  );
  if (!result.success) {
    const issues = result.error.issues.map((issue) => ({
      ...issue,
      path: [...path, ...issue.path],
    }));
    return { operation: null, errors: zodErrors(issues) };
  }
  const operation = result.data;
  // Takes `data` and `status` from the unparsed entry, so that absent members stay absent.
  const { op: _op, by: _by, id: _id, if_match: _ifMatch, ...body } = entry;
  switch (operation.op) {
    case "create":
      return { operation: { op: "create", body }, errors: [] };
    case "upsert":
      return { operation: { op: "upsert", by: operation.by, body }, errors: [] };
    case "update":
    case "delete": {
      const precondition = parseIfMatchMember(operation.if_match, [...path, "if_match"]);
      if ("error" in precondition) return { operation: null, errors: [precondition.error] };
      const { ifMatch } = precondition;
      return operation.op === "update"
        ? { operation: { op: "update", id: operation.id, body, ifMatch }, errors: [] }
        : { operation: { op: "delete", id: operation.id, ifMatch }, errors: [] };
    }
  }
}

export function parseIfMatchMember(
  etags: string | undefined,
  path: (string | number)[],
): { ifMatch: Precondition | null } | { error: FieldError } {
  if (etags === undefined) return { ifMatch: null };
  try {
    return { ifMatch: parsePrecondition("if_match", etags) };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return { error: errorAt(path, "invalid_format", error.detail) };
  }
}

// `z.custom` returns the object itself. An object schema would drop the key `__proto__`, which must be rejected.
const dataSchema = lazy(() => z.custom<Record<string, unknown>>(isObject, "Must be an object."));
const createSchemas = lazy(() => ({
  app: z.strictObject({ data: dataSchema() }),
  form: z.strictObject({ status: z.optional(z.string()), data: dataSchema() }),
}));
const updateSchemas = lazy(() => ({
  app: createSchemas().app,
  form: z.strictObject({ status: z.optional(z.string()), data: z.optional(dataSchema()) }),
}));

interface ItemBody {
  status?: string | undefined;
  /** Null when `data` is missing or is not an object. */
  data: Record<string, unknown> | null;
}

/** Reads the body of a create or an update. The data is still unvalidated. */
export function readItemBody(
  kind: CollectionKind,
  operation: "create" | "update",
  body: unknown,
): { body: ItemBody; errors: FieldError[] } {
  const schema = (operation === "create" ? createSchemas() : updateSchemas())[kind];
  const result = schema.safeParse(body, bodyParseOptions);
  if (result.success) {
    const { data = {}, ...members } = result.data;
    return { body: { ...members, data }, errors: [] };
  }
  // Returns the readable parts of an invalid body too, so that one response reports every error.
  const { status, data } = isObject(body) ? body : {};
  return {
    body: {
      ...(typeof status === "string" ? { status } : {}),
      data: isObject(data) ? data : null,
    },
    errors: zodErrors(result.error.issues),
  };
}
