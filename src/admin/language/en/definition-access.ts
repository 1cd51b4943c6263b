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
    labels: { items: "Only items that…", fields: "Only these fields" },
    own: "It created itself",
    ownHint: "Nothing of others.",
    all: "Exist",
    allHint: (items: string) => `All ${items}.`,
    matching: (view: string) => `Match “${view}”`,
    fieldsHint: {
      partner: "The credential neither reads nor writes the others.",
      report: "Fields that look like personal data are off. Check the choice yourself.",
    },
    note: (one: string, guide: Child) =>
      sentence`This stores a view of the ${one}. The next page creates the credential. ${guide}`,
    submit: "Continue",
    chooseItems: "Choose one.",
  },
});
