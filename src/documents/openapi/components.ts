import type { Collection } from "../../domain/definition/collection";
import { dataNames, dataSchemas, type Use } from "./schemas/field-schema";
import type { Noun } from "./noun";
import {
  closed,
  list,
  oneOfTexts,
  open,
  ref,
  stamp,
  text,
  version,
  type Schema,
} from "./schemas/schema";
import { actor, pageSchema } from "./shared-schemas";

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
