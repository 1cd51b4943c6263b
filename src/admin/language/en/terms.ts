import type { Role } from "#domain/credential/permissions.ts";
import type { CollectionKind } from "#domain/definition/collection.ts";
import type { Status } from "#domain/item/item.ts";
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

const statuses = (): Record<Status, string> => ({
  draft: "Draft",
  submitted: "Submitted",
  closed: "Closed",
});

/** What every item has besides its fields. */
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
export const terms = () => ({
  collections: collections(),
  roles: roles(),
  statuses: statuses(),
  properties: properties(),
  webhookStates: webhookStates(),
  booleans: { true: "Yes", false: "No" },
  required: "required",
  saveChanges: "Save changes",
  cancel: "Cancel",
});
