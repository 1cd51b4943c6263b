import { storableDescription } from "#domain/text.ts";

/** The purposes of credentials. A credential without a name gets the name of its purpose. */
const purposes = () => ({
  read: { name: "Reporting", hint: "Reads data and definitions." },
  website_form: { name: "Website form", hint: "Creates submissions. Can’t read them." },
  sync: {
    name: "Two-way sync",
    hint: "Keeps another system in step: reads, creates and edits data. Can’t delete it.",
  },
  code: {
    name: "Definitions as code",
    hint: "For developers who keep forms and apps in files: creates and edits them. Can’t access their data.",
  },
  partner: {
    name: "Partner",
    hint: "For another company: creates data, and reads and edits only its own. Adds a view of all current fields, a tab for all members, unless one exists. Don’t use it on a website.",
  },
  part_report: {
    name: "Read part of a form or app",
    hint: "Reads only the view, or the data and fields, that you choose. Don’t use it on a website.",
  },
  custom: { name: "Custom", hint: "Choose the permissions yourself." },
});

const resources = () => ({
  all: "All forms and apps",
  allHint: "including those created later",
  selected: "Only selected forms and apps",
  search: "Search forms and apps",
  searchExample: "Search by name",
  parts:
    "To give access to part of a form or app, select one of its views, or choose data and fields.",
  noViews:
    "No shared views yet. To give access to part of a form or app, choose data and fields. This creates a view, a tab for all members.",
  chooseParts: "Choose data and fields",
  choosePartsOf: (collection: string) => `Choose data and fields of ${collection}`,
  omitsViews: "Not all views fit on this page.",
  listViews: (collection: string) => `List the views of ${collection}`,
  tooLong: "This view is too long to describe here.",
  view: (collection: string, view: string) => `${collection}: only “${view}”`,
});

const expiry = () => ({
  recommended: "Recommended",
  recommendedHint: "In 90 days, or never for a website form",
  keep: "Keep current expiry",
  otherViews:
    "This credential has expired, and its views may have changed since. Check above what it will see.",
  currentNever: "never",
  on: (day: string) => `on ${day}`,
  choices: { "30d": "In 30 days", "90d": "In 90 days", "365d": "In 1 year" },
  day: "On a date",
  dayHint: (zone: string) => `Expires at the end of this day, ${zone} time.`,
  never: "Never",
  neverHint: "Valid until revoked",
});

const limits = () => ({
  title: "Rate limits",
  hints: { requests: "Reads and writes together", writes: "Also count toward requests" },
  hintWithDefaults: (hint: string, usual: number, website: number) =>
    `${hint}. If blank: ${usual}, or ${website} for a website form.`,
});

const errors = () => ({
  purpose: "Choose a purpose.",
  atLeastOne: "Choose at least one.",
  noResources: "Choose all forms and apps, or select at least one.",
  allAndSome: "Choose all forms and apps, or select some, not both.",
  notViews:
    "Select views instead of whole forms or apps. To create a view, press “Choose data and fields” next to a form or app.",
  tooManyWhole: (maximum: number) =>
    `Select at most ${maximum} whole forms and apps. You can select more views.`,
  allOfPart: "Select the forms, apps or views that it may access.",
  originsOfPart: "Leave this empty. All visitors to a website share its credential.",
  expiry: "Must be 30d, 90d, 365d, a date, or never.",
  resource: "Must be app:KEY or form:KEY, or a view like form:KEY/VIEW.",
  resources: 'Must be "all", or a list of app:KEY and form:KEY.',
  origin:
    "Must be an origin like https://shop.example, without a path, a wildcard or a trailing slash.",
  name: `Must be ${storableDescription}.`,
  zone: "Must be an IANA time zone, like Asia/Tokyo.",
});

/** The pages that create a credential and change its access. */
export const credentialAccess = () => ({
  purposes: purposes(),
  resources: resources(),
  kindHints: {
    token: "Sent with each request. Stops working when you leave.",
    client: "ID and secret for OAuth 2.0. Keeps working when you leave.",
  },
  nameHint: "Leave blank to use the purpose.",
  expiry: expiry(),
  limits: limits(),
  browserAccess: "Browser access",
  originsHint:
    "One origin per line, like https://shop.example. Any visitor can extract the credential, so grant only create permissions.",
  noOrigin: "No page can read the responses yet. Enter the page’s origin under “Browser access”.",
  errors: errors(),
  saved: "Access saved",
  revoked: "This credential is revoked. It had these permissions:",
  added: (permission: string) => `“${permission}” is selected below. Save changes to grant it.`,
  summary: {
    title: "What the credential will be able to do",
    places: "In:",
    origins: "From pages at:",
    everything:
      "Any visitor to your page can use the credential. Select only the form of the page.",
    nothing: "Choose a purpose, and forms or apps.",
  },
  viewRule: "With this selection, it can’t read or write anything else.",
  otherSelection: "You changed the selection. The credential will see what you select below.",
  viewGuide: "What a partner can infer",
});
