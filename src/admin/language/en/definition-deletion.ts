import { quantity } from "./words.ts";

/** The page that deletes a form or an app, and the list of deleted ones. */
export const definitionDeletion = () => ({
  title: (name: string) => `Delete ${name}`,
  effect: (one: string) =>
    `This deletes the ${one} at once, everywhere. You can restore it for 7 days.`,
  losses: {
    items: (items: string) => `${items} with their history`,
    fields: (count: number) => quantity(count, "field"),
    credentials: (count: number) =>
      `${quantity(count, "credential")} that name it lose access to it`,
    webhooks: (count: number) =>
      `${quantity(count, "webhook")} that name it no longer send its changes`,
  },
  erased: "After 7 days, all of this is permanently deleted. Until then, the key stays taken.",
  confirm: (one: string) => `Key of the ${one}`,
  confirmHint: (key: string) => `Type ${key} to confirm`,
  submit: (one: string) => `Delete this ${one}`,
  done: (key: string) => `${key} deleted. You can restore it for 7 days.`,
  list: {
    title: "Deleted forms and apps",
    none: "Deleted forms and apps stay here for 7 days, so that you can restore them.",
    columns: { items: "Holds", deleted: "Deleted", erased: "Erased" },
    erasing: "Being erased",
    restore: "Restore",
    restored: (name: string) => `${name} restored`,
  },
});
