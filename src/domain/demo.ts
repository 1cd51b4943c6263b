/** The examples that `npm run dev` creates. The first steps of an installation ignore them. */

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
