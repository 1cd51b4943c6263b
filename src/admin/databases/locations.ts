import type { Catalogue } from "#admin/language/en/index.ts";

type LocationNames = Catalogue["databases"]["locations"];

/** A jurisdiction or a location hint in words. An operator's own value stays as it is. */
export const nameLocation = (names: LocationNames, location: string): string =>
  location in names ? names[location as keyof LocationNames] : location;
