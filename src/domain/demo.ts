/** What `npm run dev` creates as an example, which is not yet anybody's own work. */

export const demoKeys: ReadonlySet<string> = new Set([
  "customers",
  "products",
  "orders",
  "purchase",
  "helpdesk",
]);

export const demoCredentialNames: ReadonlySet<string> = new Set([
  "Local development",
  "Online shop",
  "Website and intranet",
  "ERP sync",
]);
