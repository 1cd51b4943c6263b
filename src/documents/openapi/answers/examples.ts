import type { Collection } from "../../../domain/definition/collection";
import { checkNew } from "../../../domain/data/check/check";
import { compile } from "../../../domain/data/compile";
import { showData } from "../../../domain/data/show";
import { computeData } from "../../../domain/formula/compute";
import { receiptNumber } from "../../../domain/item/receipt";
import { stamp } from "../../../domain/time";
import { exampleData } from "./example";
import type { Noun } from "../noun";

/** Bodies that can be sent as they are, and what is answered to them. */
export interface Examples {
  create: object;
  change: object;
  search: object;
  /** Absent where they would make most of the document. */
  answers?: {
    item: object;
    listed: object;
    found: object;
    checked: object;
    changes: object;
    batch: object;
  };
}

export const moment = Date.UTC(2026, 10, 21, 1, 23, 45, 678);
const ulid = "01KAHV3M4E7XQ2R5T8W9YZB6CD";
/** What is larger is told once, in the request. */
export const mostShown = 20_000;

export function examplesOf(collection: Collection, { kind, list }: Noun, origin: string): Examples {
  const data = exampleData(collection.definition.fields.fields);
  const status = kind === "form" ? { status: "submitted" } : {};
  const since = { field: "$created_at", op: "gte", value: "2026-01-01T00:00:00Z" };
  const sort = [{ field: "$created_at", direction: "desc" }];
  const sent = {
    create: { ...status, data },
    change: { data },
    search: { conditions: [since], sort, limit: 10 },
  };
  if (JSON.stringify(data).length > mostShown) return sent;
  const item = exampleItem(collection, data);
  const page = (path: string) => ({
    items: [item],
    links: { self: `${origin}/api/v1${path}`, next: null },
  });
  const checked = { valid: true, form: collection.key, ...status, data: item.data };
  const answers = {
    item,
    listed: page(list),
    found: page(`${list}/search`),
    checked,
    batch: exampleBatch(item),
    changes: exampleChanges(
      item,
      collection,
      `${origin}/api/v1/${kind}s/${collection.key}/changes`,
    ),
  };
  return { ...sent, answers };
}

/** The item that the example makes, computed fields included. */
function exampleItem(collection: Collection, sent: Record<string, unknown>) {
  const { kind, key, definition } = collection;
  const compiled = compile(collection);
  const { data } = computeData(compiled, checkNew(compiled, sent, false).data, moment);
  const own =
    kind === "app"
      ? {
          id: `rec_${ulid}`,
          app: key,
          receipt_number: receiptNumber(definition.receipt_prefix, 42),
        }
      : { id: `sub_${ulid}`, form: key, status: "submitted" };
  const by = `credential:${ulid}`;
  const times = {
    created_at: stamp(moment),
    created_by: by,
    updated_at: stamp(moment),
    updated_by: by,
  };
  return { ...own, version: 1, etag: '"1"', ...times, data: showData(compiled, data) };
}

function exampleBatch({ id, etag, ...rest }: ReturnType<typeof exampleItem>): object {
  const receipt = "receipt_number" in rest ? { receipt_number: rest.receipt_number } : {};
  return { results: [{ op: "create", outcome: "created", id, ...receipt, etag }] };
}

/** The feed after the example was created. */
function exampleChanges(
  item: ReturnType<typeof exampleItem>,
  { version }: Collection,
  address: string,
): object {
  const { id, etag, created_at: at, created_by: by, data } = item;
  const own = { version: item.version, etag, at, by, fields: Object.keys(data), item };
  const links = { self: address, next: `${address}?cursor=eyJ` };
  return { items: [{ id, type: "created", ...own }], schema_version: version, links };
}
