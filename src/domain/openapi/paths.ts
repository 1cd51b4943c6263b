import type { Collection } from "../definition/collection";
import { exampleData } from "./example";
import type { Schema } from "./field-schema";
import { answered, json, ref, refusals } from "./responses";

export interface Names {
  items: "records" | "submissions";
  /** The path of the collection, and that of one item. */
  list: string;
  one: string;
}

export const appNames = (key: string): Names => ({
  items: "records",
  list: `/apps/${key}/records`,
  one: `/apps/${key}/records/{id}`,
});
export const formNames = (key: string): Names => ({
  items: "submissions",
  list: `/forms/${key}/submissions`,
  one: "/submissions/{id}",
});

type Operation = (id: string, summary: string, permission: string) => Schema;

/** The routes of a collection and of its items. */
export function pathsOf(collection: Collection, names: Names): Schema {
  const isForm = collection.kind === "form";
  const data = exampleData(collection.definition.fields.fields);
  const example = isForm ? { status: "submitted", data } : { data };
  const operation: Operation = (operationId, summary, permission) => ({
    tags: [names.items],
    operationId,
    summary,
    security: [{ bearer: [] }, { client: [permission] }],
  });
  return {
    [names.list]: {
      get: list(operation, names),
      post: create(operation, names, example),
    },
    [`${names.list}/search`]: { post: search(operation, names) },
    ...(isForm ? { [`${names.list}/validate`]: { post: validate(operation, example) } } : {}),
    [names.one]: {
      parameters: [ref("parameters", "id")],
      get: read(operation, names),
      patch: update(operation, names, data),
      ...(isForm ? { delete: remove(operation) } : {}),
    },
  };
}

const page = { description: "A page.", content: json(ref("schemas", "Page")) };
const paging = [ref("parameters", "limit"), ref("parameters", "cursor")];
const item = ref("schemas", "Item");

function body(schema: Schema, example: unknown): Schema {
  return { required: true, content: json(schema, example) };
}

function list(operation: Operation, { items }: Names): Schema {
  return {
    ...operation("list", `List ${items} in stored order`, `${items}:read`),
    parameters: paging,
    responses: { "200": page, ...refusals(422) },
  };
}

function create(operation: Operation, { items }: Names, example: unknown): Schema {
  return {
    ...operation("create", `Create one of the ${items}`, `${items}:write`),
    parameters: [ref("parameters", "idempotencyKey")],
    requestBody: body(ref("schemas", "Create"), example),
    responses: {
      "201": answered("Created, or created before with the same key.", item),
      ...refusals(400, 409, 413, 415, 422),
    },
  };
}

function search(operation: Operation, { items }: Names): Schema {
  return {
    ...operation("search", `Search ${items}`, `${items}:read`),
    parameters: paging,
    requestBody: body(ref("schemas", "Search"), { conditions: [], limit: 10 }),
    responses: { "200": page, ...refusals(400, 409, 413, 415, 422) },
  };
}

function validate(operation: Operation, example: unknown): Schema {
  const schema = {
    type: "object",
    properties: {
      valid: { const: true },
      form: { type: "string" },
      status: { type: "string" },
      data: ref("schemas", "Data"),
      warnings: ref("schemas", "Warnings"),
    },
    required: ["valid", "form", "status", "data"],
  };
  const summary = "Check all that a create would check, and write nothing";
  return {
    ...operation("validate", summary, "submissions:write"),
    requestBody: body(ref("schemas", "Create"), example),
    responses: {
      "200": { description: "A create would succeed.", content: json(schema) },
      ...refusals(400, 409, 413, 415, 422),
    },
  };
}

function read(operation: Operation, { items }: Names): Schema {
  return {
    ...operation("get", `Read one of the ${items}`, `${items}:read`),
    responses: {
      "200": answered("As it is now.", item),
      "304": { description: "The caller has this version." },
      ...refusals(400),
    },
  };
}

function update(operation: Operation, { items }: Names, data: unknown): Schema {
  return {
    ...operation("update", "Change the fields that are sent", `${items}:write`),
    parameters: [ref("parameters", "ifMatch")],
    requestBody: body(ref("schemas", "Change"), { data }),
    responses: { "200": answered("Changed.", item), ...refusals(400, 409, 412, 413, 415, 422) },
  };
}

function remove(operation: Operation): Schema {
  return {
    ...operation("remove", "Delete a submission", "submissions:delete"),
    parameters: [ref("parameters", "ifMatch")],
    responses: { "204": { description: "Deleted." }, ...refusals(400, 409, 412) },
  };
}
