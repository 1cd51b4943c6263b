/** Starts Swagger UI on the reference page with the document in the page's data. */

declare const SwaggerUIBundle: (options: Record<string, unknown>) => unknown;

const address = document.getElementById("reference")?.dataset["document"];

SwaggerUIBundle({
  url: address,
  dom_id: "#reference",
  deepLinking: false,
  validatorUrl: null,
  queryConfigEnabled: false,
  persistAuthorization: false,
  tryItOutEnabled: true,
  defaultModelsExpandDepth: 0,
  onComplete: nameLandmarks,
});

/** Adapts Swagger UI's landmarks and headings to the surrounding page. */
function nameLandmarks(): void {
  document.querySelector("#servers")?.setAttribute("aria-label", "Server");
  const regions = {
    ".information-container": "About",
    ".scheme-container": "Server and credential",
  };
  for (const [selector, name] of Object.entries(regions)) {
    document.querySelector(selector)?.setAttribute("role", "region");
    document.querySelector(selector)?.setAttribute("aria-label", name);
  }
  for (const title of document.querySelectorAll(".info .title")) {
    title.setAttribute("aria-level", "2");
  }
}
