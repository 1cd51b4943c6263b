import type { Words } from "./words.ts";

/** “Find anything”. */
export const search = ({ formatCount }: Words) => ({
  title: "Search",
  titleOf: (text: string) => `Search: ${text}`,
  /** Pages that are not in the navigation. */
  pages: {
    createForm: "Create form",
    createApp: "Create app",
    deleted: "Deleted forms and apps",
    createCredential: "Create credential",
  },
  /** Words by which people search for a page, in addition to its name. */
  words: {
    overview: "home start attention activity",
    forms: "submissions",
    apps: "records tables",
    createForm: "new form",
    createApp: "new app",
    deleted: "restore trash",
    integrations: "credentials tokens API clients keys",
    createCredential: "new token API client key",
    webhooks: "events endpoints",
    reference: "OpenAPI REST",
    guides: "documentation help manual",
    members: "people users invite roles",
    people: "personal data protection privacy GDPR erase",
    settings: "installation options",
    databases: "settings size storage location",
    audit: "log history who changed",
    account: "password name time zone sessions sign out profile language",
  },
  groups: {
    items: "Items",
    collections: "Forms and apps",
    pages: "Pages",
  },
  kinds: {
    app: "App",
    form: "Form",
    view: (collection: string) => `View of ${collection}`,
    page: "Page",
    credential: "Credential",
    webhook: "Webhook",
    member: "Member",
  },
  searchItems: (items: string, collection: string, text: string) =>
    `Search ${items} of ${collection} for “${text}”`,
  allIn: (collection: string) => `Show all in ${collection}`,
  value: (label: string, value: string) => `${label}: ${value}`,
  hint: "What are you looking for?",
  /** The text before the list of ways to search. */
  finds: "You can search for:",
  nothing: (text: string) => `Nothing found for “${text}”.`,
  ways: [
    "Records: the receipt number, like ORD-000042, ORD-42 or 000042",
    "Submissions and records: the ID, as you copy it from a page, or its last 8 characters",
    "Submissions and records: words of a text, name, email address, phone number or URL in searchable fields",
    "Forms, apps and views: a part of the name",
    "Integrations, webhooks and members: a part of the name, or an email address",
    "Pages: the start of a word",
  ],
  scope: (values: number) =>
    `Every word must match. Search finds values that start with a word. Words inside a value are found in the first ${formatCount(values)} values. To search every field, open the form or app.`,
});
