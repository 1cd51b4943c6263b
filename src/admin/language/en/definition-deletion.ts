import { plural, type Words } from "./words.ts";

/** The page that deletes a form or an app, and the list of deleted ones. */
export const definitionDeletion = ({ quantity }: Words) => ({
  title: (name: string) => `Delete ${name}`,
  effect: (one: string) => `This deletes the ${one} immediately. You can restore it for 7 days.`,
  losses: {
    items: (items: string) => `${items} with their history`,
    fields: (count: number) => quantity(count, "field"),
    credentials: (count: number) =>
      `${quantity(count, "credential")} ${plural(count, "loses", "lose")} access to it`,
    webhooks: (count: number) =>
      `${quantity(count, "webhook")} ${plural(count, "stops", "stop")} sending its changes`,
  },
  erased: "After 7 days, all of this is permanently deleted. Until then, its key can’t be reused.",
  confirm: (one: string) => `Key of the ${one}`,
  confirmHint: (key: string) => `Type ${key} to confirm`,
  submit: (one: string) => `Delete this ${one}`,
  done: (name: string) => `${name} deleted. You can restore it for 7 days.`,
  list: {
    title: "Deleted forms and apps",
    none: "Deleted forms and apps stay here for 7 days, so that you can restore them.",
    columns: { items: "Contents", deleted: "Deleted", erased: "Permanently deleted" },
    erasing: "In progress",
    restore: "Restore",
    restored: (name: string) => `${name} restored`,
  },
});
