import type { Child } from "hono/jsx";
import type { Location } from "#domain/definition/location.ts";
import { sentence } from "#admin/language/sentence.ts";

/** The jurisdictions and the location hints of databases. */
const locations = (): Record<Location, string> => ({
  eu: "European Union",
  us: "United States",
  fedramp: "FedRAMP",
  weur: "Western Europe",
  eeur: "Eastern Europe",
  wnam: "Western North America",
  enam: "Eastern North America",
  apac: "Asia-Pacific",
  oc: "Oceania",
});

export const databases = () => ({
  title: "Databases",
  columns: {
    database: "Database",
    location: "Location",
    size: "Size",
    share: "Used of 10 GB",
    collections: "Forms and apps",
    writes: "Writes per minute",
    reported: "Reported",
  },
  home: "Default database",
  nearlyFull: "Nearly full",
  notYet: "Not yet",
  note: "Updated every minute.",
  add: {
    title: "More room",
    operators: "For operators",
    single:
      "One database holds 10 GB and writes one batch at a time. When it is 70% full, or to keep a form’s data in one country or region, ask the operator of this service for another.",
    several: "New forms and apps go to the database with the most room, or to the chosen location.",
    command: (command: Child) =>
      sentence`To add a database, run ${command} in the deployment folder.`,
    guide: "How large can one installation grow?",
  },
  locations: locations(),
});
