/** The keys of the apps and forms that `npm run dev` creates as examples. */
export const demoKeys: ReadonlySet<string> = new Set([
  "customers",
  "products",
  "orders",
  "purchase",
]);

/** The name of the credential that `npm run dev` creates. */
export const demoCredentialName = "Local development";
