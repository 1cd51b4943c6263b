/** What a page may load and run: our own files, nothing inline. */
export const contentSecurityPolicy = {
  defaultSrc: ["'none'"],
  styleSrc: ["'self'"],
  scriptSrc: ["'self'"],
  connectSrc: ["'self'"],
  imgSrc: ["'self'", "data:"],
  formAction: ["'self'"],
  baseUri: ["'none'"],
  frameAncestors: ["'none'"],
};

/** The same as the value of a header, for pages that the Worker does not answer itself. */
export function policyHeader(): string {
  return Object.entries(contentSecurityPolicy)
    .map(([name, sources]) => {
      const directive = name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
      return `${directive} ${sources.join(" ")}`;
    })
    .join("; ");
}
