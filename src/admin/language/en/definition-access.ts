import type { Child } from "hono/jsx";
import { sentence } from "#admin/language/sentence.ts";

/**
 * The page with the credentials and webhooks that see a form or an app, and the form that gives access to a part of it.
 */
export const definitionAccess = () => ({
  who: {
    title: (one: string) => `Who can see this ${one}`,
    lead: "All members see everything. Credentials and webhooks have this access:",
    caption: (one: string) => `Access to this ${one}`,
    columns: { access: "Access" },
    everything: "Everything",
    ownersAccess: "Everything that its owner can access",
    nothing: "Nothing, because its view was deleted",
    receivesEvents: (part: string) => `Receives events (webhook): ${part}`,
  },
  give: {
    title: (one: string) => `Give access to part of this ${one}`,
    labels: {
      where: "Condition",
      fields: "Fields",
      name: "Name of the view",
    },
    presets: {
      partner: (items: string) => `Only its own ${items}`,
      report: (items: string) => `All ${items}, without personal data`,
    },
    own: (items: string) => `Only the ${items} that the credential creates`,
    all: (items: string) => `All ${items}`,
    matching: (items: string, view: string) => `Only the ${items} in “${view}”`,
    where: (items: string) => `Only ${items} that match a condition`,
    nameHint: (example: string) =>
      `Leave blank to name it after its conditions and fields, like “${example}”.`,
    /** Names of views. */
    names: {
      own: "Created by the credential",
      all: (items: string) => `All ${items}`,
      without: (items: string, fields: string) => `${items}, without ${fields}`,
      only: (items: string, fields: string) => `${items}, only ${fields}`,
      allFields: (items: string) => `${items}, all fields`,
      someFields: (items: string, count: number) => `${items}, only ${count} fields`,
    },
    added: (view: string) => `View “${view}” created. Create the credential that uses it.`,
    reused: (view: string) =>
      `No view was created, because “${view}” shows the same already. Create the credential that uses it.`,
    fieldsHint: {
      partner: (needed: readonly string[]) =>
        needed.length === 0
          ? "The credential can’t read or write other fields."
          : `The credential can’t read or write other fields. To create items, it needs ${needed.join(", ")}.`,
      report: (_needed: readonly string[]) =>
        "Fields that look like personal data are not selected. Check the selection yourself.",
    },
    note: (one: string, guide: Child) =>
      sentence`“Continue” creates a view of the ${one}, or reuses a view that shows the same. All members see it as a tab. You create the credential on the next page. ${guide}`,
    submit: "Continue",
    /** A notice after a view was chosen. */
    fieldsFollow: "The fields below changed to those of this view.",
    /** Without scripts, the page selects the fields of a view only after the form was submitted. */
    checkFields: (view: string) =>
      `“${view}” shows other fields than those that were selected. Its own fields are selected now. Check them, then continue.`,
    chooseItems: "Choose what it can access.",
  },
});
