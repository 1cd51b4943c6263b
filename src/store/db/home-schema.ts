import { sql } from "drizzle-orm";
import { index, integer, primaryKey, text, unique } from "drizzle-orm/sqlite-core";
import { lazyTable } from "./lazy.ts";
import type { Actor } from "#domain/audit.ts";
import { movePhases } from "#domain/move.ts";

/** The tables of the home scope, for members, credentials and webhooks. */

export const member = lazyTable("member", () => ({
  id: text("id").primaryKey(),
  version: integer("version").notNull().default(1),
  email: text("email").notNull().unique(),
  role: text("role", { enum: ["owner", "admin", "editor", "viewer"] }).notNull(),
  password: text("password").notNull(),
  createdAt: integer("created_at").notNull(),
  disabledAt: integer("disabled_at"),
  name: text("name").notNull().default(""),
  language: text("language"),
  zone: text("zone"),
}));

export const session = lazyTable(
  "session",
  () => ({
    hash: text("hash").primaryKey(),
    memberId: text("member_id")
      .notNull()
      .references(() => member.id),
    createdAt: integer("created_at").notNull(),
    expiresAt: integer("expires_at").notNull(),
    device: text("device").notNull().default(""),
    seenAt: integer("seen_at"),
  }),
  (table) => [
    index("session_by_expiry").on(table.expiresAt),
    index("session_by_member").on(table.memberId),
  ],
);

export const knownAddress = lazyTable(
  "known_address",
  () => ({
    memberId: text("member_id")
      .notNull()
      .references(() => member.id),
    address: text("address").notNull(),
    at: integer("at").notNull(),
  }),
  (table) => [primaryKey({ columns: [table.memberId, table.address] })],
);

export const invitation = lazyTable("invitation", () => ({
  hash: text("hash").primaryKey(),
  email: text("email").notNull().unique(),
  role: text("role", { enum: ["owner", "admin", "editor", "viewer"] }).notNull(),
  createdAt: integer("created_at").notNull(),
  expiresAt: integer("expires_at").notNull(),
  inviterId: text("inviter_id").references(() => member.id),
  sealed: text("sealed"),
}));

export const passwordReset = lazyTable("password_reset", () => ({
  memberId: text("member_id")
    .primaryKey()
    .references(() => member.id),
  hash: text("hash").notNull().unique(),
  version: integer("version").notNull(),
  creatorId: text("creator_id")
    .notNull()
    .references(() => member.id),
  createdAt: integer("created_at").notNull(),
  expiresAt: integer("expires_at").notNull(),
}));

export const credential = lazyTable(
  "credential",
  () => ({
    id: text("id").primaryKey(),
    version: integer("version").notNull(),
    kind: text("kind", { enum: ["token", "client"] }).notNull(),
    name: text("name").notNull(),
    permissions: text("permissions").notNull(),
    resources: text("resources").notNull(),
    requests: integer("requests").notNull(),
    writes: integer("writes").notNull(),
    secrets: text("secrets").notNull(),
    memberId: text("member_id")
      .notNull()
      .references(() => member.id),
    createdAt: integer("created_at").notNull(),
    expiresAt: integer("expires_at"),
    expiresZone: text("expires_zone"),
    revokedAt: integer("revoked_at"),
    lastUsedAt: integer("last_used_at"),
    usage: text("usage"),
    origins: text("origins").notNull().default("[]"),
  }),
  (table) => [
    index("credential_by_member").on(table.memberId),
    index("credential_by_expiry")
      .on(sql`coalesce(${table.expiresAt}, 9007199254740991)`)
      .where(sql`${table.revokedAt} is null`),
  ],
);

/** The resources that credentials lost when an app or form was deleted. */
export const formerAccess = lazyTable(
  "former_access",
  () => ({
    name: text("name").notNull(),
    credentialId: text("credential_id").notNull(),
    resource: text("resource").notNull(),
  }),
  (table) => [primaryKey({ columns: [table.name, table.credentialId, table.resource] })],
);

export const webhook = lazyTable("webhook", () => ({
  id: text("id").primaryKey(),
  version: integer("version").notNull(),
  name: text("name").notNull(),
  url: text("url").notNull(),
  types: text("types").notNull(),
  collections: text("collections").notNull(),
  include: text("include", { enum: ["item", "ids"] }).notNull(),
  state: text("state", { enum: ["active", "paused", "failing", "disabled", "deleted"] }).notNull(),
  reason: text("reason"),
  secrets: text("secrets").notNull(),
  maker: text("maker").notNull().$type<Actor>(),
  starts: text("starts").notNull(),
  createdAt: integer("created_at").notNull(),
  updatedAt: integer("updated_at").notNull(),
  retryAt: integer("retry_at"),
  lastError: text("last_error"),
  recalculations: integer("recalculations", { mode: "boolean" }).notNull().default(true),
  changedFields: text("changed_fields"),
}));

export const savedFilter = lazyTable(
  "saved_filter",
  () => ({
    memberId: text("member_id")
      .notNull()
      .references(() => member.id),
    list: text("list").notNull(),
    id: text("id").notNull(),
    name: text("name").notNull(),
    search: text("search").notNull(),
  }),
  (table) => [primaryKey({ columns: [table.memberId, table.list, table.id] })],
);

export const columnChoice = lazyTable(
  "column_choice",
  () => ({
    memberId: text("member_id")
      .notNull()
      .references(() => member.id),
    list: text("list").notNull(),
    columns: text("columns").notNull(),
    at: integer("at").notNull(),
  }),
  (table) => [primaryKey({ columns: [table.memberId, table.list] })],
);

/** The databases of the collections that are, or once were, outside the home database. */
export const placement = lazyTable(
  "placement",
  () => ({
    collectionId: integer("collection_id").primaryKey(),
    kind: text("kind", { enum: ["app", "form"] }).notNull(),
    key: text("key").notNull(),
    database: text("database").notNull(),
    epoch: integer("epoch").notNull(),
    state: text("state", { enum: ["creating", "placed"] }).notNull(),
    moving: integer("moving", { mode: "boolean" }).notNull().default(false),
  }),
  (table) => [unique().on(table.kind, table.key)],
);

/** Moves of collections to another database. */
export const collectionMove = lazyTable("collection_move", () => ({
  id: integer("id").primaryKey(),
  name: text("name").notNull(),
  source: text("source"),
  target: text("target").notNull(),
  phase: text("phase", { enum: movePhases }).notNull(),
  collections: text("collections").notNull().default("[]"),
  position: text("position"),
  total: integer("total").notNull().default(0),
  done: integer("done").notNull().default(0),
  actor: text("actor").notNull().$type<Actor>(),
  requestedAt: integer("requested_at").notNull(),
  changedAt: integer("changed_at").notNull(),
  announcedAt: integer("announced_at"),
  movedAt: integer("moved_at"),
  eraseAt: integer("erase_at"),
  frozenMs: integer("frozen_ms"),
  restores: integer("restores").notNull().default(0),
  run: integer("run").notNull().default(0),
  leasedUntil: integer("leased_until").notNull().default(0),
  problem: text("problem"),
}));

/** The data databases that `npm run databases` has added. */
export const dataDatabase = lazyTable("data_database", () => ({
  name: text("name").primaryKey(),
  location: text("location"),
  usedFrom: integer("used_from").notNull(),
}));

/** Searches for the data of a person in all collections. */
export const personSearch = lazyTable("person_search", () => ({
  id: text("id").primaryKey(),
  text: text("text").notNull(),
  actor: text("actor").notNull().$type<Actor>(),
  createdAt: integer("created_at").notNull(),
  expiresAt: integer("expires_at").notNull(),
  state: text("state", { enum: ["running", "done"] }).notNull(),
  collectionId: integer("collection_id").notNull(),
  part: text("part", { enum: ["items", "changes"] }).notNull(),
  after: integer("after").notNull(),
  searched: integer("searched").notNull(),
  found: integer("found").notNull(),
}));

export const personHit = lazyTable(
  "person_hit",
  () => ({
    searchId: text("search_id").notNull(),
    item: integer("item").notNull(),
    former: integer("former").notNull(),
  }),
  (table) => [primaryKey({ columns: [table.searchId, table.item] })],
);

/** The last report of each database about its size and load. */
export const databaseReport = lazyTable("database_report", () => ({
  name: text("name").primaryKey(),
  bytes: integer("bytes").notNull(),
  collections: integer("collections").notNull(),
  changes: integer("changes").notNull(),
  writesPerMinute: integer("writes_per_minute").notNull(),
  region: text("region"),
  reportedAt: integer("reported_at").notNull(),
}));
