import { mePath } from "#domain/api-paths.ts";
import { contentEtag } from "#domain/preconditions.ts";
import { formatTimestamp } from "#domain/time.ts";
import { noQuery } from "./items.ts";
import { operation } from "./operation.ts";
import { noTarget } from "./targets.ts";

export const getMe = operation({
  method: "GET",
  path: mePath,
  kind: null,
  tag: "credential",
  permission: null,
  effect: "read",
  target: noTarget,
  query: noQuery,
  precondition: "If-None-Match",
  // `actor` is in the context because every write records it. The grant contains the rest of the credential.
  async run({ actor }, { grant }) {
    const { kind, name, permissions, resources, limits, expiresAt } = grant;
    const expires_at = expiresAt === null ? null : formatTimestamp(expiresAt);
    const document = { actor, kind, name, permissions, resources, limits, expires_at };
    return { document, etag: await contentEtag(JSON.stringify(document)) };
  },
  summary: "Get the credential",
  description:
    "Returns the kind, permissions, resources, limits and expiry of the credential, and the name that others see.",
  responses: {
    200: {
      description: "The credential.",
      schema: "Me",
      example: () => ({
        actor: "credential:01KAHV3M4E7XQ2R5T8W9YZB6CD",
        kind: "token",
        name: "Nightly sync",
        permissions: ["records:read"],
        resources: "all",
        limits: { requests: 600, writes: 120 },
        expires_at: null,
      }),
      headers: ["ETag"],
    },
  },
});
