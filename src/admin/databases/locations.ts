import type { Catalogue } from "#admin/language/en/index.ts";

type LocationNames = Catalogue["databases"]["locations"];

/** Returns a jurisdiction or a location hint in words. Returns an operator's own value unchanged. */
export const nameLocation = (names: LocationNames, location: string): string =>
  location in names ? names[location as keyof LocationNames] : location;
