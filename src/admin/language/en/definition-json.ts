import type { Child } from "hono/jsx";
import { sentence } from "#admin/language/sentence.ts";

/** The page for programs that use a form or an app, and the definition as JSON. */
export const definitionJson = () => ({
  lead: (items: string) => `Read and write ${items} over HTTP with a credential that has access.`,
  reference: "API reference",
  openApi: "OpenAPI document",
  edit: "Edit as JSON",
  credentials: "Credentials",
  url: "API URL",
  example: "Example request",
  assistants: "Assistants",
  mcp: (guide: Child) =>
    sentence`Connect assistants to the Model Context Protocol at this URL. ${guide}`,
  mcpGuide: "Learn how to connect",
  title: "Definition as JSON",
  description: (request: Child, renamedFrom: Child) =>
    sentence`The body of ${request}. To rename a field, set ${renamedFrom} to its current key. Fields that you remove are hidden with their data.`,
  labels: { document: "Definition" },
  back: "Back",
  saved: "Definition saved",
  notAnObject: "Must be an object.",
  invalid: "This is not valid JSON.",
  invalidAt: (position: string) => `This is not valid JSON. Syntax error at position ${position}.`,
});
