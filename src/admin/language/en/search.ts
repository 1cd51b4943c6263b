/** “Find anything”. */
export const search = () => ({
  title: "Search",
  titleOf: (text: string) => `Search: ${text}`,
  /** Pages that the navigation does not have. */
  pages: {
    createForm: "Create form",
    createApp: "Create app",
    deleted: "Deleted forms and apps",
    createCredential: "Create credential",
  },
  /** The words by which people look for a page, besides its name. */
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
    page: "Page",
    credential: "Credential",
    webhook: "Webhook",
    member: "Member",
  },
  searchItems: (items: string, collection: string, text: string) =>
    `Search ${items} of ${collection} for “${text}”`,
  hint: "Enter the name of a form, app, integration, member or page, or an ID or receipt number.",
  nothing:
    "Nothing found. Enter a name, an ID or a receipt number. To find words in items, open their form first.",
});
