import * as z from "zod/mini";
import type { CollectionKind } from "#domain/definition/collection.ts";
import { parsePrecondition, type Precondition } from "#domain/preconditions.ts";
import { isObject } from "#domain/json.ts";
import { errorAt, zodErrors } from "#domain/problem/field-errors.ts";
import { Problem, type FieldError } from "#domain/problem/problem.ts";

/** One operation of a batch (contract, section 12). What its item is to hold is not judged here. */
export type Operation =
  /** `id` is the one of an import's row: where it is there already, it is left as it is. */
  | { op: "create"; id?: string; body: unknown }
  | { op: "update"; id: string; body: unknown; ifMatch: Precondition | null }
  | { op: "upsert"; by: string; body: unknown }
  | { op: "delete"; id: string; ifMatch: Precondition | null };

export const mostOperations = 100;

const content = { data: z.optional(z.unknown()), status: z.optional(z.unknown()) };
const id = z.string().check(z.minLength(1), z.maxLength(100));
const if_match = z.optional(z.string().check(z.maxLength(1000)));
const shapes = {
  create: z.strictObject({ op: z.literal("create"), ...content }),
  update: z.strictObject({ op: z.literal("update"), id, if_match, ...content }),
  upsert: z.strictObject({ op: z.literal("upsert"), by: z.string(), ...content }),
  delete: z.strictObject({ op: z.literal("delete"), id, if_match }),
};

/** What each kind of collection takes: records are not deleted. */
const operationsOf = {
  app: ["create", "update", "upsert"],
  form: ["create", "update", "upsert", "delete"],
} as const satisfies Record<CollectionKind, readonly Operation["op"][]>;

interface Parsed {
  /** Null where an operation cannot be read. */
  operations: (Operation | null)[];
  errors: FieldError[];
}

/** Reads the operations of a batch, and tells of all that are none. */
export function parseBatch(kind: CollectionKind, body: unknown): Parsed {
  const envelope = z
    .strictObject({
      operations: z.array(z.unknown()).check(z.minLength(1), z.maxLength(mostOperations)),
    })
    .safeParse(body, { reportInput: true });
  if (!envelope.success) return { operations: [], errors: zodErrors(envelope.error.issues) };
  const parsed = envelope.data.operations.map((each, index) => parseOperation(kind, each, index));
  return {
    operations: parsed.map(({ operation }) => operation),
    errors: parsed.flatMap(({ errors }) => errors),
  };
}

function parseOperation(
  kind: CollectionKind,
  sent: unknown,
  index: number,
): { operation: Operation | null; errors: FieldError[] } {
  const path = ["operations", index];
  if (!isObject(sent)) {
    return { operation: null, errors: [errorAt(path, "invalid_type", "Must be of type object.")] };
  }
  const allowed: readonly string[] = operationsOf[kind];
  const { op } = sent;
  if (typeof op !== "string" || !allowed.includes(op)) {
    const code = op === undefined ? "required" : "not_an_option";
    const reason = `Must be one of ${allowed.map((each) => `"${each}"`).join(", ")}.`;
    return { operation: null, errors: [errorAt([...path, "op"], code, reason, { allowed })] };
  }
  const parsed = shapes[op as Operation["op"]].safeParse(sent, { reportInput: true });
  if (!parsed.success) {
    const issues = parsed.error.issues.map((issue) => ({
      ...issue,
      path: [...path, ...issue.path],
    }));
    return { operation: null, errors: zodErrors(issues) };
  }
  const read = parsed.data;
  // `data` and `status` are judged as they were sent, where an absent one is no undefined one.
  const { op: _, by: __, id: ___, if_match: ____, ...rest } = sent;
  switch (read.op) {
    case "create":
      return { operation: { op: "create", body: rest }, errors: [] };
    case "upsert":
      return { operation: { op: "upsert", by: read.by, body: rest }, errors: [] };
    case "update":
    case "delete": {
      const condition = readIfMatch(read.if_match, [...path, "if_match"]);
      if ("error" in condition) return { operation: null, errors: [condition.error] };
      const { ifMatch } = condition;
      return read.op === "update"
        ? { operation: { op: "update", id: read.id, body: rest, ifMatch }, errors: [] }
        : { operation: { op: "delete", id: read.id, ifMatch }, errors: [] };
    }
  }
}

export function readIfMatch(
  sent: string | undefined,
  path: (string | number)[],
): { ifMatch: Precondition | null } | { error: FieldError } {
  if (sent === undefined) return { ifMatch: null };
  try {
    return { ifMatch: parsePrecondition("if_match", sent) };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return { error: errorAt(path, "invalid_format", error.detail) };
  }
}

/** Taken as it is: a copy by zod would drop a key named `__proto__`, which is to be refused like any other. */
const data = z.custom<Record<string, unknown>>(isObject, "Must be of type object.");
const created = {
  app: z.strictObject({ data }),
  form: z.strictObject({ status: z.optional(z.string()), data }),
};
const changed = {
  app: created.app,
  form: z.strictObject({ status: z.optional(z.string()), data: z.optional(data) }),
};

interface ItemBody {
  status?: string | undefined;
  /** Null where there is nothing to judge. */
  data: Record<string, unknown> | null;
}

/** The body of a create or an update (contract, section 8); its data is not judged here. */
export function parseItemBody(
  kind: CollectionKind,
  use: "create" | "update",
  body: unknown,
): { body: ItemBody; errors: FieldError[] } {
  const schema = (use === "create" ? created : changed)[kind];
  const parsed = schema.safeParse(body, { reportInput: true });
  if (parsed.success) {
    const { data: sent = {}, ...rest } = parsed.data;
    return { body: { ...rest, data: sent }, errors: [] };
  }
  // What can be read of a wrong body is judged too, so that all that is wrong is told at once.
  const { status, data: sent } = isObject(body) ? body : {};
  return {
    body: {
      ...(typeof status === "string" ? { status } : {}),
      data: isObject(sent) ? sent : null,
    },
    errors: zodErrors(parsed.error.issues),
  };
}
