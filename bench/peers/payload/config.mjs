import { sqliteAdapter } from "@payloadcms/db-sqlite";
import { buildConfig } from "payload";
import { file } from "./env.mjs";

export const config = buildConfig({
  secret: "bench-secret-0123456789abcdef-0123456789abcdef",
  db: sqliteAdapter({ client: { url: `file:${file}` }, wal: true }),
  collections: [
    {
      slug: "users",
      auth: { useAPIKey: true, disableLocalStrategy: true },
      lockDocuments: false,
      fields: [],
    },
    {
      slug: "submissions",
      versions: false,
      lockDocuments: false,
      fields: [
        { name: "title", type: "text" },
        { name: "customer", type: "text" },
        { name: "email", type: "email" },
        { name: "department", type: "text", index: true },
        { name: "amount", type: "number", index: true },
        { name: "quantity", type: "number" },
        { name: "due", type: "date", index: true },
        { name: "priority", type: "text" },
        { name: "note", type: "textarea" },
        { name: "done", type: "checkbox" },
      ],
    },
  ],
  graphQL: { disable: true },
  logger: { options: { level: "silent" } },
  telemetry: false,
  typescript: { autoGenerate: false },
});
