import type { Examples } from "#documents/openapi/examples.ts";
import type { Noun } from "#documents/openapi/names.ts";
import { asked, closedForm, closedItem, operation, sent, taken, unchanged } from "./operation.ts";
import { answered, json, refusals } from "#documents/openapi/responses.ts";
import { ref, type Schema } from "#documents/openapi/schema.ts";

/** The routes of one record or submission. */
export function onePaths(noun: Noun, examples?: Examples): Schema {
  const { item, itemParameters, one } = noun;
  return {
    [item]: {
      parameters: [...itemParameters, ref("parameters", `${one}Id`)],
      get: read(noun, examples),
      patch: update(noun, examples),
      ...(noun.kind === "form" ? { delete: remove(noun) } : {}),
    },
  };
}

function read({ one, called, thing, many }: Noun, examples?: Examples): Schema {
  const told = {
    id: `get${called}`,
    summary: `Read a ${thing}`,
    description: "As it is now, with its ETag.",
    permissions: [`${many}:read`],
    tag: many,
  };
  return {
    ...operation(told),
    parameters: [ref("parameters", "ifNoneMatch")],
    responses: {
      "200": answered("As it is now.", json(ref("schemas", one), examples?.answers?.item), "ETag"),
      "304": unchanged,
      ...refusals(asked),
    },
  };
}

function update(noun: Noun, examples?: Examples): Schema {
  const { one, called, thing, many } = noun;
  const told = {
    id: `update${called}`,
    summary: `Change a ${thing}`,
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
      "200": answered(
        "As it is after the change.",
        json(ref("schemas", `${one}Updated`), examples?.answers?.item),
        "ETag",
      ),
      ...refusals([
        ...sent,
        ...taken,
        ...closedForm(noun),
        ...closedItem(noun),
        "malformed_header",
        "version_mismatch",
      ]),
    },
  };
}

function remove({ called, thing, many }: Noun): Schema {
  const told = {
    id: `delete${called}`,
    summary: `Delete a ${thing}`,
    description: "Deletes it for good. A second time it is not found.",
    permissions: [`${many}:delete`],
    tag: many,
  };
  return {
    ...operation(told),
    parameters: [ref("parameters", "ifMatch")],
    responses: {
      "204": answered("Deleted."),
      ...refusals([...asked, "version_mismatch", "submission_closed"]),
    },
  };
}
