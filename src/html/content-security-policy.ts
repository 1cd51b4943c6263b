/** Pages load styles, scripts and images only from their own origin, and images also from `data:` URLs. Nothing is inline. */
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

/** The policy as a header value, for pages that the Worker does not serve itself. */
export function policyHeader(): string {
  return Object.entries(contentSecurityPolicy)
    .map(([name, sources]) => {
      const directive = name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
      return `${directive} ${sources.join(" ")}`;
    })
    .join("; ");
}
