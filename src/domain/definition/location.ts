const jurisdictions = ["eu", "us", "fedramp"] as const;
/** Cloudflare's jurisdictions and location hints for databases. */
export const locations = [...jurisdictions, "weur", "eeur", "wnam", "enam", "apac", "oc"] as const;
export type Location = (typeof locations)[number];

/** Whether the data must not leave a jurisdiction. */
export const staysInJurisdiction = ({ location }: { location?: Location }): boolean =>
  jurisdictions.some((jurisdiction) => jurisdiction === location);
