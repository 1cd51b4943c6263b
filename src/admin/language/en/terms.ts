import type { Role } from "#domain/credential/permissions.ts";
import type { CollectionKind } from "#domain/definition/collection.ts";
import type { Field } from "#domain/definition/field.ts";
import type { EffectiveWebhookState } from "#domain/webhook/status.ts";
import { quantity } from "./words.ts";

interface CollectionTerms {
  /** Within a sentence: “form”. */
  one: string;
  /** As a title: “Forms”. */
  many: string;
  item: string;
  items: string;
  /** As a title: “Submissions”. */
  Items: string;
  /** Like “1,204 submissions”. */
  itemCount: (count: number) => string;
}

const collections = (): Record<CollectionKind, CollectionTerms> => ({
  app: {
    one: "app",
    many: "Apps",
    item: "record",
    items: "records",
    Items: "Records",
    itemCount: (count) => quantity(count, "record"),
  },
  form: {
    one: "form",
    many: "Forms",
    item: "submission",
    items: "submissions",
    Items: "Submissions",
    itemCount: (count) => quantity(count, "submission"),
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

/** Terms that several areas share. */
export const terms = () => ({
  collections: collections(),
  fieldTypes: fieldTypes(),
  roles: roles(),
  webhookStates: webhookStates(),
  list: (parts: readonly string[]) => parts.join(", "),
  name: "Name",
  key: "Key",
  saveChanges: "Save changes",
  cancel: "Cancel",
});
