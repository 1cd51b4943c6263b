import type { Noun } from "./noun";
import type { Schema } from "./field-schema";
import { answered, json, ref, refusals } from "./responses";

/** Bodies that can be sent as they are; absent where the document stands for many definitions. */
export interface Examples {
  create: unknown;
  change: unknown;
}

interface Told {
  id: string;
  summary: string;
  description: string;
  /** Any one of them is enough. */
  permissions: readonly string[];
  tag: string;
}

export function operation({ id, summary, description, permissions, tag }: Told): Schema {
  const scopes = permissions.map((permission) => ({ client: [permission] }));
  return {
    tags: [tag],
    operationId: id,
    summary,
    description,
    security: [{ bearer: [] }, ...scopes],
  };
}

/** The routes of the items of a collection. */
export function itemPaths(noun: Noun, examples?: Examples): Schema {
  const { list, item, listParameters, itemParameters } = noun;
  const within = listParameters.length > 0 ? { parameters: listParameters } : {};
  return {
    [list]: { ...within, get: listing(noun), post: create(noun, examples) },
    [`${list}/search`]: { ...within, post: search(noun) },
    ...(noun.kind === "form"
      ? { [`${list}/validate`]: { ...within, post: validate(noun, examples) } }
      : {}),
    [item]: {
      parameters: [...itemParameters, ref("parameters", `${noun.one}Id`)],
      get: read(noun),
      patch: update(noun, examples),
      ...(noun.kind === "form" ? { delete: remove(noun) } : {}),
    },
  };
}

const paging = [ref("parameters", "limit"), ref("parameters", "cursor")];

export function body(schema: Schema, example?: unknown): Schema {
  return { required: true, content: json(schema, example) };
}

export const page = (name: string): Schema => ({
  description: "A page.",
  headers: { Link: ref("headers", "Link"), ...answerHeaders },
  content: json(ref("schemas", name)),
});

const answerHeaders = {
  "RateLimit-Policy": ref("headers", "RateLimit-Policy"),
  RateLimit: ref("headers", "RateLimit"),
};

const downloads = {
  "application/x-ndjson": { schema: { type: "string" } },
  "text/csv": { schema: { type: "string" } },
};

function listing({ one, many }: Noun): Schema {
  const told = {
    id: `list${one}s`,
    summary: `List ${many}`,
    description: `The ${many} in stored order, oldest first. Follow \`links.next\` until it is null.`,
    permissions: [`${many}:read`],
    tag: many,
  };
  const found = page(`${one}Page`);
  return {
    ...operation(told),
    parameters: paging,
    responses: {
      "200": { ...found, content: { ...(found["content"] as Schema), ...downloads } },
      ...refusals(422),
    },
  };
}

function create({ one, many }: Noun, examples?: Examples): Schema {
  const told = {
    id: `create${one}`,
    summary: `Create a ${one.toLowerCase()}`,
    description:
      "Creates one, and answers with it. With an Idempotency-Key it may be sent again: the first result is given.",
    permissions: [`${many}:create`, `${many}:write`],
    tag: many,
  };
  const answer = answered("Created, or created before with the same key.", ref("schemas", one));
  const headers = {
    ...(answer["headers"] as Schema),
    Location: ref("headers", "Location"),
    "Idempotent-Replayed": ref("headers", "Idempotent-Replayed"),
    "Idempotency-Key-Mismatch": ref("headers", "Idempotency-Key-Mismatch"),
  };
  return {
    ...operation(told),
    parameters: [ref("parameters", "idempotencyKey")],
    requestBody: body(ref("schemas", `${one}Create`), examples?.create),
    responses: { "201": { ...answer, headers }, ...refusals(400, 409, 413, 415, 422) },
  };
}

function search({ one, many }: Noun): Schema {
  const told = {
    id: `search${one}s`,
    summary: `Search ${many}`,
    description:
      "All that meet the conditions, newest first or as `sort` says. To go on, POST the same body to `links.next`. With `Accept: application/x-ndjson` or `text/csv`, all pages are one download.",
    permissions: [`${many}:read`],
    tag: many,
  };
  const found = page(`${one}SearchPage`);
  const content = { ...(found["content"] as Schema), ...downloads };
  return {
    ...operation(told),
    parameters: paging,
    requestBody: body(ref("schemas", "Search"), { conditions: [], limit: 10 }),
    responses: { "200": { ...found, content }, ...refusals(400, 409, 413, 415, 422) },
  };
}

function validate({ one, many }: Noun, examples?: Examples): Schema {
  const told = {
    id: `validate${one}`,
    summary: "Check what a create would check",
    description:
      "Everything that a create would check, and nothing is written. It counts as a read.",
    permissions: [`${many}:create`, `${many}:write`],
    tag: many,
  };
  return {
    ...operation(told),
    requestBody: body(ref("schemas", `${one}Create`), examples?.create),
    responses: {
      "200": {
        description: "A create would succeed.",
        content: json(ref("schemas", `${one}Checked`)),
      },
      ...refusals(400, 409, 413, 415, 422),
    },
  };
}

function read({ one, many }: Noun): Schema {
  const told = {
    id: `get${one}`,
    summary: `Read a ${one.toLowerCase()}`,
    description: "As it is now, with its ETag.",
    permissions: [`${many}:read`],
    tag: many,
  };
  return {
    ...operation(told),
    parameters: [ref("parameters", "ifNoneMatch")],
    responses: {
      "200": answered("As it is now.", ref("schemas", one)),
      "304": {
        description: "The caller has this version.",
        headers: { ETag: ref("headers", "ETag") },
      },
      ...refusals(400, 422),
    },
  };
}

function update({ one, many }: Noun, examples?: Examples): Schema {
  const told = {
    id: `update${one}`,
    summary: `Change a ${one.toLowerCase()}`,
    description:
      "Changes the fields that are sent; `null` clears one. With If-Match, only the version that it names.",
    permissions: [`${many}:write`],
    tag: many,
  };
  const schema = ref("schemas", `${one}Change`);
  const content = {
    ...json(schema, examples?.change),
    "application/merge-patch+json": { schema },
  };
  return {
    ...operation(told),
    parameters: [ref("parameters", "ifMatch")],
    requestBody: { required: true, content },
    responses: {
      "200": answered("As it is after the change.", {
        anyOf: [ref("schemas", one), ref("schemas", `${one}Written`)],
      }),
      ...refusals(400, 409, 412, 413, 415, 422),
    },
  };
}

function remove({ one, many }: Noun): Schema {
  const told = {
    id: `delete${one}`,
    summary: `Delete a ${one.toLowerCase()}`,
    description: "Deletes it for good. A second time it is not found.",
    permissions: [`${many}:delete`],
    tag: many,
  };
  return {
    ...operation(told),
    parameters: [ref("parameters", "ifMatch")],
    responses: { "204": { description: "Deleted." }, ...refusals(400, 409, 412, 422) },
  };
}
