import type { Child } from "hono/jsx";
import { sentence } from "#admin/language/sentence.ts";

/** Who sees a form or an app, and the form that gives access to a part of it. */
export const definitionAccess = () => ({
  who: {
    title: (one: string) => `Who can see this ${one}`,
    lead: "All members see everything. Credentials and webhooks see:",
    caption: (one: string) => `Access to this ${one}`,
    columns: { sees: "Sees", may: "May do" },
    everything: "Everything",
    ownersAccess: "Everything that its owner can access",
    nothing: "Nothing: its view is gone",
    receivesEvents: "Webhook: receives events",
  },
  give: {
    title: (one: string) => `Give access to part of this ${one}`,
    labels: { items: "Items", fields: "Fields" },
    presets: { partner: "Only what it created", report: "All, without personal data" },
    own: (items: string) => `Only the ${items} that it creates`,
    all: (items: string) => `All ${items}`,
    matching: (items: string, view: string) => `Only the ${items} in “${view}”`,
    fieldsHint: {
      partner: "The credential can’t read or write other fields.",
      report: "Fields that look like personal data are not selected. Check the selection yourself.",
    },
    note: (one: string, guide: Child) =>
      sentence`Continuing adds a view to the ${one}, which all members see as a tab. You create the credential on the next page. ${guide}`,
    submit: "Continue",
    chooseItems: "Choose one.",
  },
});
