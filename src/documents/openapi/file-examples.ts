import { contentUrl } from "#domain/api-paths.ts";

// The examples of files.

const id = "fil_01KAHV3M4E7XQ2R5T8W9YZB6CD";
const origin = "https://forms.example";

export const fileInputExample = {
  collection: "form:purchase",
  field: "invoices",
  name: "invoice.pdf",
  bytes: 48_211,
  sha256: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
};

export const fileExample = {
  id,
  ...fileInputExample,
  item: null,
  content_type: "application/pdf",
  created_at: "2026-11-21T01:23:45.678Z",
  links: { content: contentUrl(origin, id) },
};

const link =
  "efl_01KAHV3M4E7XQ2R5T8W9YZB6CD01KAHTZ8Q0G5M3N7R2V4X6Y9ZA06b0100b1Zk3v9QmT1xWc7RbN5yLs2HdJ8pGf4KaE6uVo0XiBtYM";

export const fileLinkExample = {
  url: `${contentUrl(origin, id)}?link=${link}`,
  expires_at: "2026-11-21T02:23:45.000Z",
};
