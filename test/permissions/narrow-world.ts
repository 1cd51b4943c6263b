import type { Client, Json } from "../support/client";
import { announcement, pdf, putContent } from "../support/files";
import { client, everything, freshKey } from "../support/service";

/**
 * An app or a form with a view, and everything that its view must hide marked by canaries: keys, labels, values, items,
 * formulas and former keys.
 */

export type Kind = "app" | "form";

/** Texts that no response to a narrow credential may contain, whatever it asks. */
export const canaries = [
  "CANARY",
  // Numbers: a hidden field, a computed one, and the amount of an item outside.
  "777123",
  "1554246",
  "888321",
];

/** Hidden keys. A response may contain one only if the request sent it. */
export const hiddenKeys = [
  "zzsecret",
  "zzpay",
  "zzkind",
  "zzref",
  "zzlines",
  "zzfiles",
  "zzdouble",
  "zzold",
];

const partnerRights = everything.filter(
  (permission) => permission !== "schema:write" && permission !== "webhooks:manage",
);

export interface NarrowWorld {
  kind: Kind;
  key: string;
  people: string;
  /** The path of the collection, its items, and an item. */
  base: string;
  items: string;
  itemPath: (id: string) => string;
  inside: Json;
  outside: Json;
  missing: string;
  partner: Client;
  files: NarrowFiles;
}

/** The IDs of files. */
interface NarrowFiles {
  /** Of the item inside, in a visible field. */
  inside: string;
  /** Of the item outside, and of the item inside in a hidden field. */
  unseen: string[];
  /** Uploaded by the partner, and not attached. */
  own: string;
  spare: string;
  missing: string;
}

const text = { type: "text", label: "Shown" };
const hidden = (key: string, rest: object) => ({ key, label: `CANARY label ${key}`, ...rest });

const fieldsOf = (people: string) => [
  { key: "title", ...text, required: true },
  { key: "code", type: "text", unique: true },
  { key: "team", type: "select", options: [{ value: "ours" }, { value: "theirs" }] },
  { key: "amount", type: "number" },
  { key: "person", type: "reference", app: people },
  { key: "lines", type: "line_items", fields: [{ key: "qty", type: "number" }] },
  { key: "twice", type: "computed", formula: "amount * 2", result: "number" },
  { key: "docs", type: "files" },
  hidden("zzsecret", { type: "text", unique: true }),
  hidden("zzpay", { type: "number" }),
  hidden("zzkind", { type: "select", options: [{ value: "CANARY_option" }, { value: "b" }] }),
  hidden("zzref", { type: "reference", app: people }),
  hidden("zzlines", { type: "line_items", fields: [{ key: "zzcell", type: "text" }] }),
  hidden("zzfiles", { type: "files" }),
  hidden("zzdouble", { type: "computed", formula: "zzpay * 2", result: "number" }),
];

export const viewOf = (kind: Kind) => ({
  key: "canary_view",
  name: "CANARY view",
  conditions: [
    { field: "team", op: "eq", value: "ours" },
    { field: "zzkind", op: "ne", value: "b" },
    ...(kind === "form" ? [{ field: "$status", op: "ne", value: "closed" }] : []),
  ],
  fields: ["title", "code", "team", "amount", "person", "lines", "twice", "docs"],
});

export async function narrowWorld(owner: Client, kind: Kind): Promise<NarrowWorld> {
  const people = freshKey("people");
  const made = await owner.put(`/apps/${people}/schema`, {
    fields: [{ key: "name", type: "text" }],
    title_field: "name",
    receipt_prefix: "PEO-",
  });
  if (made.status !== 201) throw new Error(made.text);
  const person = (await owner.post(`/apps/${people}/records`, { data: { name: "CANARY person" } }))
    .body.id;
  const key = freshKey(kind);
  const base = `/${kind}s/${key}`;
  const fields = fieldsOf(people);
  const former = fields.map((field) =>
    field.key === "zzsecret" ? { ...field, key: "zzold" } : field,
  );
  const created = await owner.put(`${base}/schema`, { fields: former, views: [] });
  if (created.status !== 201) throw new Error(created.text);
  const renamed = fields.map((field) =>
    field.key === "zzsecret" ? { ...field, renamed_from: "zzold" } : field,
  );
  const put = await owner.put(`${base}/schema`, { fields: renamed, views: [viewOf(kind)] });
  if (put.status !== 200) throw new Error(put.text);
  const items = kind === "app" ? `${base}/records` : `${base}/submissions`;
  const create = async (data: object): Promise<Json> => {
    const answer = await owner.post(items, { data });
    if (answer.status !== 201) throw new Error(answer.text);
    return answer.body;
  };
  const secretOf = (name: string) => ({
    zzsecret: `CANARY secret ${name}`,
    zzpay: 777123,
    zzkind: "CANARY_option",
    zzref: person,
    zzlines: [{ zzcell: "CANARY cell" }],
  });
  const partner = await client({
    permissions: partnerRights,
    resources: [`${kind}:${key}/canary_view`],
  });
  const uploadBy = async (caller: Client, field: string, name: string): Promise<string> => {
    const body = { ...announcement(`${kind}:${key}`, pdf(), name), field };
    const { id } = (await caller.post("/files", body)).body;
    const stored = await putContent(caller, id, pdf());
    if (stored.status !== 200) throw new Error(stored.text);
    return id;
  };
  const files: NarrowFiles = {
    inside: await uploadBy(owner, "docs", "a.pdf"),
    unseen: [
      await uploadBy(owner, "docs", "CANARY outside.pdf"),
      await uploadBy(owner, "zzfiles", "CANARY hidden.pdf"),
    ],
    own: await uploadBy(partner, "docs", "own.pdf"),
    spare: await uploadBy(partner, "docs", "spare.pdf"),
    missing: "fil_01KAHV3M4E7XQ2R5T8W9YZB6CD",
  };
  const lines = [{ qty: 1 }];
  const shown = { title: "inside", code: "c1", team: "ours", amount: 5, lines };
  const inside = await create({
    ...shown,
    ...secretOf("inside"),
    docs: [files.inside],
    zzfiles: files.unseen.slice(1),
  });
  const outside = await create({
    title: "CANARY title",
    code: "c2",
    team: "theirs",
    amount: 888321,
    lines,
    docs: files.unseen.slice(0, 1),
    ...secretOf("outside"),
  });
  const itemPath = (id: string) => (kind === "app" ? `${items}/${id}` : `/submissions/${id}`);
  const missing = `${kind === "app" ? "rec" : "sub"}_01KAHV3M4E7XQ2R5T8W9YZB6CD`;
  return { kind, key, people, base, items, itemPath, inside, outside, missing, partner, files };
}
