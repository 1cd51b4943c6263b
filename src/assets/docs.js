// The reference page: Swagger UI, on the document that the page names.
const { document: address } = document.getElementById("reference").dataset;
globalThis.SwaggerUIBundle({
  url: address,
  dom_id: "#reference",
  deepLinking: false,
  validatorUrl: null,
  queryConfigEnabled: false,
  persistAuthorization: false,
  tryItOutEnabled: true,
  defaultModelsExpandDepth: 0,
  onComplete() {
    document.querySelector("#servers")?.setAttribute("aria-label", "Server");
  },
});
