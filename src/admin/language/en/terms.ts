import type { Child } from "hono/jsx";
import { sentence } from "#admin/language/sentence.ts";
import type { Role } from "#domain/credential/permissions.ts";
import type { CollectionKind } from "#domain/definition/collection.ts";
import type { Field } from "#domain/definition/field.ts";
import type { Status } from "#domain/item/item.ts";
import type { EffectiveWebhookState } from "#domain/webhook/status.ts";
import type { Words } from "./words.ts";

interface CollectionTerms {
  /** Within a sentence: “form”. */
  one: string;
  /** As a title: “Forms”. */
  many: string;
  item: string;
  items: string;
  /** As a title: “Submissions”. */
  Items: string;
  /** Like “1,204 submissions”. For an inexact count, like “at least 10,000 submissions”. */
  itemCount: (count: number, isExact?: boolean) => string;
}

const itemCounter =
  ({ quantity }: Words, item: string) =>
  (count: number, isExact = true) =>
    `${isExact ? "" : "at least "}${quantity(count, item)}`;

const collections = (words: Words): Record<CollectionKind, CollectionTerms> => ({
  app: {
    one: "app",
    many: "Apps",
    item: "record",
    items: "records",
    Items: "Records",
    itemCount: itemCounter(words, "record"),
  },
  form: {
    one: "form",
    many: "Forms",
    item: "submission",
    items: "submissions",
    Items: "Submissions",
    itemCount: itemCounter(words, "submission"),
  },
});

const roles = (): Record<Role, string> => ({
  owner: "owner",
  admin: "admin",
  editor: "editor",
  viewer: "viewer",
});

const webhookStates = (): Record<EffectiveWebhookState, string> => ({
  active: "Active",
  retrying: "Retrying",
  paused: "Paused",
  failing: "Failing",
  disabled: "Disabled",
});

const fieldTypes = (): Record<Field["type"], string> => ({
  text: "Text",
  multiline_text: "Long text",
  number: "Number",
  boolean: "Yes / no",
  date: "Date",
  datetime: "Date and time",
  email: "Email",
  url: "URL",
  phone: "Phone",
  select: "Single choice",
  multi_select: "Multiple choice",
  reference: "Reference",
  line_items: "Line items",
  files: "Files",
  computed: "Calculated",
});

const statuses = (): Record<Status, string> => ({
  draft: "Draft",
  submitted: "Submitted",
  closed: "Closed",
});

/** The properties of every item besides its fields. */
const properties = () => ({
  id: "ID",
  receiptNumber: "Receipt number",
  status: "Status",
  createdAt: "Created",
  updatedAt: "Updated",
  createdBy: "Created by",
  updatedBy: "Updated by",
});

/** Terms that several areas share. */
export const terms = (words: Words) => ({
  collections: collections(words),
  fieldTypes: fieldTypes(),
  roles: roles(),
  statuses: statuses(),
  webhookStates: webhookStates(),
  list: (parts: readonly string[]) => parts.join(", "),
  /** A name that a member chose, within a sentence. */
  quote: (name: Child): Child => sentence`“${name}”`,
  key: "Key",
  properties: properties(),
  booleans: { true: "Yes", false: "No" },
  /** The text by which people recognize and choose a record: “Yamada (CUS-000001)”. */
  recordLabel: (title: string, receiptNumber: string) => `${title} (${receiptNumber})`,
  name: "Name",
  cancel: "Cancel",
  continue: "Continue",
  saveChanges: "Save changes",
  applyFilters: "Apply filters",
  clearFilters: "Clear filters",
  /** An empty value before or after a change. */
  empty: "(empty)",
  required: "required",
});
