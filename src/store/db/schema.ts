export * from "./home-schema.ts";
export * from "./item-schema.ts";
import { customType, index, integer, primaryKey, text, unique } from "drizzle-orm/sqlite-core";
import { lazyTable } from "./lazy.ts";
import type { Actor, AuditAction } from "#domain/audit.ts";
import type { Location } from "#domain/definition/location.ts";
import type { AuditedItemAction, ItemAction } from "#domain/item/change.ts";

/** The tables of `migrations/`, which document each table. A test compares both, column by column. */

/** A column of a STRICT table that stores each value with its type. */
const anyColumn = customType<{ data: string | number }>({ dataType: () => "ANY" });

export const collection = lazyTable(
  "collection",
  () => ({
    id: integer("id").primaryKey(),
    kind: text("kind", { enum: ["app", "form"] }).notNull(),
    key: text("key").notNull(),
    version: integer("version").notNull(),
    revision: integer("revision").notNull(),
    name: text("name").notNull(),
    description: text("description").notNull(),
    timeZone: text("time_zone").notNull(),
    receiptPrefix: text("receipt_prefix").notNull(),
    state: text("state", { enum: ["open", "closed"] }).notNull(),
    opensAt: integer("opens_at"),
    closesAt: integer("closes_at"),
    maxSubmissions: integer("max_submissions"),
    fields: text("fields").notNull(),
    fieldsVersion: integer("fields_version").notNull(),
    createdAt: integer("created_at").notNull(),
    updatedAt: integer("updated_at").notNull(),
    historyDays: integer("history_days").notNull().default(365),
    listened: integer("listened").notNull().default(0),
    erasedThrough: integer("erased_through").notNull().default(0),
    retain: text("retain"),
    views: text("views").notNull().default("[]"),
    location: text("location").$type<Location>(),
    viewVersions: text("view_versions"),
  }),
  (table) => [unique().on(table.kind, table.key)],
);

/** The placed collections that this database owns or once owned. Each batch of a collection checks its row. */
export const owner = lazyTable("owner", () => ({
  collectionId: integer("collection_id").primaryKey(),
  epoch: integer("epoch").notNull(),
  state: text("state", { enum: ["owned", "frozen", "moved"] }).notNull(),
  frozenUntil: integer("frozen_until").notNull().default(0),
}));

/** The collections that are moving out of or into this database. */
export const moving = lazyTable("moving", () => ({
  collectionId: integer("collection_id").primaryKey(),
  role: text("role", { enum: ["source", "target"] }).notNull(),
  digits: text("digits").notNull(),
  run: integer("run").notNull(),
}));

/** The latest run of a move that has written to this database, and the number of its last batch. */
export const moveRun = lazyTable("move_run", () => ({
  id: integer("id").primaryKey(),
  run: integer("run").notNull(),
  step: integer("step").notNull(),
}));

/** The keys of rows that changed since a move began. */
export const moveLog = lazyTable("move_log", () => ({
  number: integer("number").primaryKey({ autoIncrement: true }),
  source: text("source").notNull(),
  k1: anyColumn("k1").notNull(),
  k2: anyColumn("k2"),
  k3: anyColumn("k3"),
}));

/** Deleted apps and forms. Rows remain after the erasure, so that no id is used again. */
export const deletion = lazyTable("deletion", () => ({
  collectionId: integer("collection_id").primaryKey(),
  kind: text("kind", { enum: ["app", "form"] }).notNull(),
  key: text("key").notNull(),
  deletedAt: integer("deleted_at").notNull(),
  deletedBy: text("deleted_by").notNull().$type<Actor>(),
  eraseAt: integer("erase_at").notNull(),
  state: text("state", { enum: ["deleted", "erasing", "erased"] }).notNull(),
}));

export const tally = lazyTable("tally", () => ({
  collectionId: integer("collection_id").primaryKey(),
  lastPlace: integer("last_place").notNull(),
  live: integer("live").notNull(),
  lastCreatedAt: integer("last_created_at").notNull(),
  largest: integer("largest").notNull().default(0),
}));

export const change = lazyTable("change", () => ({
  number: integer("number").primaryKey(),
  at: integer("at").notNull(),
  actor: text("actor").notNull().$type<Actor>(),
  action: text("action").notNull().$type<ItemAction>(),
  item: integer("item").notNull(),
  itemId: text("item_id").notNull(),
  version: integer("version").notNull(),
  previous: integer("previous"),
  fields: text("fields").notNull(),
  former: text("former"),
  session: text("session"),
  requestId: text("request_id").notNull(),
  sentRequestId: text("sent_request_id"),
  views: text("views"),
  auditAction: text("audit_action").$type<AuditedItemAction>(),
}));

export const erasure = lazyTable("erasure", () => ({ change: integer("change").primaryKey() }));

export const searchEntry = lazyTable(
  "search_entry",
  () => ({
    field: integer("field").notNull(),
    value: anyColumn("value").notNull(),
    item: integer("item").notNull(),
    folded: text("folded"),
  }),
  (table) => [primaryKey({ columns: [table.field, table.value, table.item] })],
);

export const uniqueValue = lazyTable(
  "unique_value",
  () => ({
    field: integer("field").notNull(),
    value: anyColumn("value").notNull(),
    item: integer("item").notNull(),
  }),
  (table) => [primaryKey({ columns: [table.field, table.value] })],
);

export const replay = lazyTable(
  "replay",
  () => ({
    key: text("key").primaryKey(),
    fingerprint: text("fingerprint").notNull(),
    itemId: text("item_id").notNull(),
    place: integer("place").notNull(),
    createdAt: integer("created_at").notNull(),
    answer: text("answer").notNull(),
    expiresAt: integer("expires_at").notNull(),
  }),
  (table) => [index("replay_by_expiry").on(table.expiresAt)],
);

/** Keys whose stored responses were erased. Rows remain until KV can no longer have copies. */
export const erasedReplay = lazyTable("erased_replay", () => ({
  key: text("key").primaryKey(),
  at: integer("at").notNull(),
}));

/** Items that members erased recently. After a restore of the database, the service erases them again. */
export const erasedItem = lazyTable("erased_item", () => ({
  id: text("id").primaryKey(),
  at: integer("at").notNull(),
}));

/** Items that were deleted soon after their creation. Rows keep a late create from storing them again. */
export const removedItem = lazyTable("removed_item", () => ({
  id: text("id").primaryKey(),
  number: integer("number").notNull(),
  createdAt: integer("created_at").notNull(),
  at: integer("at").notNull(),
}));

export const owedErasure = lazyTable("owed_erasure", () => ({
  subject: text("subject").primaryKey(),
}));

export const indexing = lazyTable("indexing", () => ({
  collectionId: integer("collection_id").primaryKey(),
  fields: text("fields").notNull(),
  next: integer("next").notNull(),
  last: integer("last").notNull(),
  done: integer("done").notNull(),
  total: integer("total").notNull(),
  newlySearchable: text("newly_searchable"),
}));

export const pendingChange = lazyTable("pending_change", () => ({
  collectionId: integer("collection_id").primaryKey(),
  change: text("change").notNull(),
  act: text("act").notNull(),
  next: integer("next").notNull(),
  last: integer("last").notNull(),
  done: integer("done").notNull(),
  total: integer("total").notNull(),
  problem: text("problem"),
}));

export const formerDefinition = lazyTable(
  "former_definition",
  () => ({
    collectionId: integer("collection_id").notNull(),
    version: integer("version").notNull(),
    definition: text("definition").notNull(),
  }),
  (table) => [primaryKey({ columns: [table.collectionId, table.version] })],
);

export const formerUnique = lazyTable("former_unique", () => ({
  field: integer("field").primaryKey(),
}));

export const formerEntry = lazyTable("former_entry", () => ({
  field: integer("field").primaryKey(),
}));

export const indexCheck = lazyTable("index_check", () => ({
  collectionId: integer("collection_id").primaryKey(),
  field: integer("field").notNull(),
  value: anyColumn("value").notNull(),
  item: integer("item").notNull(),
  seen: integer("seen").notNull(),
  removed: integer("removed").notNull(),
}));

export const refolding = lazyTable("refolding", () => ({
  id: integer("id").primaryKey(),
  field: integer("field").notNull(),
  value: anyColumn("value").notNull(),
  item: integer("item").notNull(),
}));

/** Files that callers uploaded, attached or not. */
export const file = lazyTable("file", () => ({
  id: text("id").primaryKey(),
  collectionId: integer("collection_id").notNull(),
  field: integer("field").notNull(),
  owner: text("owner").notNull().$type<Actor>(),
  name: text("name").notNull(),
  bytes: integer("bytes").notNull(),
  sha256: text("sha256").notNull(),
  contentType: text("content_type"),
  item: integer("item"),
  detached: integer("detached"),
  createdAt: integer("created_at").notNull(),
  removeAt: integer("remove_at"),
}));

export const removedFile = lazyTable(
  "removed_file",
  () => ({
    removedAt: integer("removed_at").notNull(),
    id: text("id").notNull(),
  }),
  (table) => [primaryKey({ columns: [table.removedAt, table.id] })],
);

export const fileSweep = lazyTable("file_sweep", () => ({
  name: text("name").primaryKey(),
  after: text("after").notNull(),
}));

export const guard = lazyTable("guard", () => ({ code: integer("code").notNull() }));

export const auditEntry = lazyTable("audit_entry", () => ({
  id: integer("id").primaryKey(),
  at: integer("at").notNull(),
  actor: text("actor").notNull().$type<Actor>(),
  action: text("action").notNull().$type<AuditAction>(),
  collectionId: integer("collection_id"),
  subject: text("subject").notNull(),
  version: integer("version"),
  session: text("session"),
  requestId: text("request_id").notNull(),
  sentRequestId: text("sent_request_id"),
  detail: text("detail"),
}));
