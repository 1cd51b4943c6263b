import type { Location } from "#domain/definition/collection.ts";

/** The jurisdictions and the location hints of databases, in words. */
export const locationNames: Record<Location, string> = {
  eu: "European Union",
  us: "United States",
  fedramp: "FedRAMP",
  weur: "Western Europe",
  eeur: "Eastern Europe",
  wnam: "Western North America",
  enam: "Eastern North America",
  apac: "Asia-Pacific",
  oc: "Oceania",
};

export const nameLocation = (location: string): string =>
  location in locationNames ? locationNames[location as Location] : location;
