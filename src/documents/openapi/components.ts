import type { Collection } from "../../domain/definition/collection";
import { idempotencyKey, idempotencyKeyHeader } from "../../domain/idempotency-key";
import { defaultLimit, pageLimit } from "../../domain/page-limit";
import { calendarDay, dataNames, dataSchemas, type Use } from "./schemas/field-schema";
import type { Noun } from "./noun";
import { schemaOfZod } from "./schemas/zod-schema";
import { problemSchemas } from "./schemas/problem-schemas";
import {
  closed,
  list,
  oneOfTexts,
  open,
  ref,
  stamp,
  text,
  uri,
  version,
  type Schema,
} from "./schemas/schema";

/** Who did something, as `GET /me` tells a credential of itself. */
export const actor: Schema = {
  type: "string",
  pattern: "^(credential:.+|member:.+|system)$",
  description: "`credential:ID`, `member:ID`, or `system` for a recalculation.",
};
const anyData: Schema = { type: "object", additionalProperties: true };
const warnings = list(ref("schemas", "Warning"));

/** The schemas of the items of a collection; without one, of any collection of that kind. */
export function itemSchemas({ kind, one, key }: Noun, collection?: Collection): Schema {
  const uses: Use[] = kind === "form" ? ["create", "draft", "change"] : ["create", "change"];
  const data = collection ? dataSchemas(one, collection.definition.fields.fields, uses) : {};
  const dataOf = (name: string) => (collection ? ref("schemas", one + name) : anyData);
  const within = key === undefined ? text : { type: "string", const: key };
  const own: Schema =
    kind === "app"
      ? { app: within, receipt_number: text }
      : { form: within, status: oneOfTexts(["draft", "submitted", "closed"]) };
  const item = (shown: Schema): Schema => ({
    id: text,
    ...own,
    version,
    etag: text,
    created_at: stamp,
    created_by: actor,
    updated_at: stamp,
    updated_by: actor,
    data: shown,
  });
  const whole = item(dataOf("Data"));
  return {
    ...data,
    ...(kind === "form"
      ? submissionBodies(one, dataOf, collection !== undefined)
      : {
          [`${one}Create`]: closed({ data: dataOf(dataNames.create) }, ["data"]),
          [`${one}Change`]: closed({ data: dataOf(dataNames.change) }, ["data"]),
        }),
    [one]: open(
      { ...whole, warnings: { ...warnings, description: "In answers to what was sent." } },
      Object.keys(whole),
    ),
    [`${one}Found`]: open(item(dataOf("SomeData"))),
    [`${one}Written`]: written(item(dataOf("SomeData"))),
    [`${one}Updated`]: { anyOf: [ref("schemas", one), ref("schemas", `${one}Written`)] },
    [`${one}Page`]: pageSchema(one),
    [`${one}SearchPage`]: pageSchema(`${one}Found`),
    ...(kind === "form" ? { [`${one}Checked`]: checked(within, dataOf("Data")) } : {}),
  };
}

/** What a draft may lack, a submission may not; and a change without a status may be one of a draft. */
function submissionBodies(one: string, dataOf: (name: string) => Schema, typed: boolean): Schema {
  const submitted = { ...oneOfTexts(["submitted"]), description: "Also where it is left out." };
  const draft = oneOfTexts(["draft"]);
  if (!typed) {
    const data = dataOf("");
    return {
      [`${one}Create`]: closed({ status: oneOfTexts(["draft", "submitted"]), data }, ["data"]),
      [`${one}Change`]: closed({ status: oneOfTexts(["draft", "submitted", "closed"]), data }, []),
    };
  }
  const [whole, some, change] = [dataNames.create, dataNames.draft, dataNames.change].map(dataOf);
  const union = (name: string, either: string, or: string) => ({
    [one + name]: { anyOf: [ref("schemas", one + either), ref("schemas", one + or)] },
  });
  return {
    ...union("Create", "CreateSubmitted", "CreateDraft"),
    [`${one}CreateSubmitted`]: closed({ status: submitted, data: whole }, ["data"]),
    [`${one}CreateDraft`]: closed({ status: draft, data: some }, ["status", "data"]),
    ...union("Change", "ChangeData", "ChangeStatus"),
    [`${one}ChangeData`]: {
      description: "Of a submission that is submitted, required fields cannot be cleared.",
      ...closed({ status: draft, data: some }, []),
    },
    [`${one}ChangeStatus`]: closed({ status: oneOfTexts(["submitted", "closed"]), data: change }, [
      "status",
    ]),
  };
}

/** What an update answers to a credential that may not read: what it sent, and what it needs to go on. */
function written(item: Schema): Schema {
  const names = ["id", "version", "etag", "updated_at", "data"];
  const told = Object.fromEntries(names.map((name) => [name, item[name]]));
  return {
    ...open({ ...told, warnings }, names),
    description:
      "For credentials without the permission to read: `data` has the fields that were sent.",
  };
}

function checked(form: Schema, data: Schema): Schema {
  const valid = { type: "boolean", const: true };
  const status = oneOfTexts(["draft", "submitted"]);
  return open({ valid, form, status, data, warnings }, ["valid", "form", "status", "data"]);
}

/** A page of a list of what has this schema. */
export function pageSchema(name: string): Schema {
  return open({ items: list(ref("schemas", name)), links: ref("schemas", "PageLinks") });
}

/** What documents have, whatever they are about. */
export function sharedSchemas(): Schema {
  return {
    Warning: open({
      field: text,
      code: oneOfTexts(["computed_value_ignored", "formula_failed"]),
    }),
    PageLinks: open({ self: uri, next: { ...uri, type: ["string", "null"] } }),
    FeedLinks: open({ self: uri, next: uri }),
    CalendarDay: calendarDay,
    ...problemSchemas(),
  };
}

/** Parameters that operations refer to. */
export function sharedParameters(): Schema {
  const limit = { ...schemaOfZod(pageLimit), default: defaultLimit };
  const key = schemaOfZod(idempotencyKey);
  return {
    limit: parameter("limit", "query", "Items of a page.", limit),
    cursor: parameter("cursor", "query", "As `links.next` gives it.", text),
    idempotencyKey: parameter(idempotencyKeyHeader, "header", "Creates once in 24 hours.", key),
    ifMatch: parameter("If-Match", "header", "The ETag that the change is meant for.", text),
    ifNoneMatch: parameter("If-None-Match", "header", "The ETag that the caller has.", text),
  };
}

/** The id in the path of an item. */
export function idParameter({ kind, one }: Noun): Schema {
  const said = kind === "app" ? "The id or the receipt number." : "The id.";
  return { [`${one}Id`]: parameter("id", "path", said, text) };
}

export function parameter(name: string, where: string, description: string, schema: Schema) {
  return { name, in: where, description, required: where === "path", schema };
}
