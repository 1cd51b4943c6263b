import { Hono } from "hono";
import * as z from "zod/mini";
import { getAttachedFile, getFormerFile, getOwnFile } from "#actions/files.ts";
import { createFile, storeContent } from "#actions/upload-file.ts";
import { action, requireAbility } from "#admin/page.ts";
import { AdminPage } from "#admin/layout.tsx";
import { fileDocument, fileLinkDocument } from "#documents/files.ts";
import { relativeOrigin } from "#documents/items.ts";
import { contentUrl } from "#domain/api-paths.ts";
import { linkMs } from "#domain/files/file.ts";
import { signLink } from "#domain/files/link.ts";
import { lazy } from "#domain/lazy.ts";
import type { AdminEnv, AppEnv, RequestContext } from "#http/env.ts";
import { sendFile } from "#http/file-content.ts";
import { Copyable } from "#html/parts.tsx";
import { Time } from "#html/viewer.tsx";

/** Whether the body of a request streams to R2 without being read here. Its route checks the session first. */
export const isStreamed = ({ req }: RequestContext<AppEnv>): boolean =>
  req.method === "PUT" && /^\/admin\/files\/[^/]+\/content$/.test(req.path);

const announcedFile = lazy(() => z.looseObject({}));

// Only scripts send the following two requests.
const announce = action({
  fields: announcedFile,
  async act({ c, ctx }, fields) {
    return c.json(fileDocument(await createFile(ctx, fields), relativeOrigin), 201);
  },
});

const store = action({
  async act({ c, ctx, param }) {
    const lengthHeader = c.req.header("Content-Length");
    const length = lengthHeader === undefined ? null : Number(lengthHeader);
    const loaded = await storeContent(ctx, await getOwnFile(ctx, param("id")), {
      body: c.req.raw.body,
      length,
    });
    return c.json(fileDocument(loaded, relativeOrigin));
  },
});

/** Creates a link with the member's rights. The link ends when the member loses the right to read the file. */
const link = action({
  async act({ c, ctx, param, text: { files: text } }) {
    const { file, stored } = await getAttachedFile(ctx, param("id"));
    const expires = Math.floor((ctx.now() + linkMs) / 1000) * 1000;
    const signed = await signLink({ file: file.id, credential: ctx.member.id, expires }, ctx.keys);
    const origin = c.env.settings.origin || new URL(c.req.url).origin;
    const url = `${contentUrl(origin, file.id)}?link=${signed}`;
    return {
      document: fileLinkDocument(url, expires),
      page: (frame) => (
        <AdminPage frame={frame} title={text.linkTitle}>
          <p>{text.linkText(<bdi>{stored.name}</bdi>, <Time at={expires} as="recent" />)}</p>
          <Copyable id="link" text={url} />
        </AdminPage>
      ),
    };
  },
});

/** Files of items, under `/admin/files`. The actions check the member's rights in the collection. */
export const fileRoutes = () =>
  new Hono<AdminEnv>()
    .post("/", requireAbility("write"), announce)
    .put("/:id/content", requireAbility("write"), store)
    .get("/:id/content", async (c) =>
      sendFile(c, await getFormerFile(c.var.action, c.req.param("id"))),
    )
    .post("/:id/link", link);
