import type { Examples } from "#documents/openapi/examples.ts";
import type { Noun } from "#documents/openapi/names.ts";
import { body, closedForm, operation, page, sent, taken } from "./operation.ts";
import { answered, json, refusals } from "#documents/openapi/responses.ts";
import { ref, type Schema } from "#documents/openapi/schema.ts";

/** The routes of the items of a collection, except those of one item. */
export function listPaths(noun: Noun, examples?: Examples): Schema {
  const { list, listParameters } = noun;
  const within = listParameters.length > 0 ? { parameters: listParameters } : {};
  return {
    [list]: { ...within, get: listing(noun, examples), post: create(noun, examples) },
    [`${list}/search`]: { ...within, post: search(noun, examples) },
    ...(noun.kind === "form"
      ? { [`${list}/validate`]: { ...within, post: validate(noun, examples) } }
      : {}),
  };
}

const paging = [ref("parameters", "limit"), ref("parameters", "cursor")];

const downloads = {
  "application/x-ndjson": { schema: { type: "string" } },
  "text/csv": { schema: { type: "string" } },
};

function listing({ one, called, many }: Noun, examples?: Examples): Schema {
  const told = {
    id: `list${called}s`,
    summary: `List ${many}`,
    description: `The ${many} in stored order, oldest first. Follow \`links.next\` until it is null.`,
    permissions: [`${many}:read`],
    tag: many,
  };
  return {
    ...operation(told),
    parameters: paging,
    responses: {
      "200": page(`${one}Page`, examples?.answers?.listed, downloads),
      ...refusals(["invalid_input"]),
    },
  };
}

function create(noun: Noun, examples?: Examples): Schema {
  const { one, called, thing, many } = noun;
  const told = {
    id: `create${called}`,
    summary: `Create a ${thing}`,
    description:
      "Creates one, and answers with it. With an Idempotency-Key it may be sent again: the first result is given.",
    permissions: [`${many}:create`, `${many}:write`],
    tag: many,
  };
  const created = answered(
    "Created, or created before with the same key.",
    json(ref("schemas", one), examples?.answers?.item),
    "ETag",
    "Location",
    "Idempotent-Replayed",
    "Idempotency-Key-Mismatch",
  );
  return {
    ...operation(told),
    parameters: [ref("parameters", "idempotencyKey")],
    requestBody: body(ref("schemas", `${one}Create`), examples?.create),
    responses: { "201": created, ...refusals([...sent, ...taken, ...closedForm(noun)]) },
  };
}

function search({ key, one, called, many }: Noun, examples?: Examples): Schema {
  const told = {
    id: `search${called}s`,
    summary: `Search ${many}`,
    description:
      "All that meet the conditions, newest first or as `sort` says. To go on, POST the same body to `links.next`. With `Accept: application/x-ndjson` or `text/csv`, all pages are one download.",
    permissions: [`${many}:read`],
    tag: many,
  };
  return {
    ...operation(told),
    parameters: paging,
    requestBody: body(
      ref("schemas", key === undefined ? "Search" : `${one}Search`),
      examples?.search,
    ),
    responses: {
      "200": page(`${one}SearchPage`, examples?.answers?.found, downloads),
      ...refusals([...sent, "indexing"]),
    },
  };
}

function validate(noun: Noun, examples?: Examples): Schema {
  const { one, called, many } = noun;
  const told = {
    id: `validate${called}`,
    summary: "Check what a create would check",
    description:
      "Everything that a create would check, and nothing is written. It counts as a read.",
    permissions: [`${many}:create`, `${many}:write`],
    tag: many,
  };
  const checked = json(ref("schemas", `${one}Checked`), examples?.answers?.checked);
  return {
    ...operation(told),
    requestBody: body(ref("schemas", `${one}Create`), examples?.create),
    responses: {
      "200": answered("A create would succeed.", checked),
      ...refusals([...sent, ...taken, ...closedForm(noun)]),
    },
  };
}
