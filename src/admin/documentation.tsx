import { Hono } from "hono";
import { createMiddleware } from "hono/factory";
import { secureHeaders } from "hono/secure-headers";
import { logRecovered } from "#domain/events.ts";
import type { AdminEnv, AppEnv } from "#http/env.ts";
import { contentSecurityPolicy } from "#html/content-security-policy.ts";
import { partTexts } from "#html/language.ts";
import { Localized } from "./language/index.tsx";
import { Sidebar } from "./layout.tsx";
import { localize, readLanguage, readTheme } from "./preferences.ts";
import { findReader } from "./sign-in/session.ts";
import type { Context } from "hono";
import type { Theme } from "#html/page.tsx";

/**
 * Applies the reader's theme to the pages of the documentation, and adds the side bar of the administration area for
 * members. Pages stay unchanged for readers with neither.
 */
export const frameDocumentation = createMiddleware<AppEnv>(async (c, next) => {
  await next();
  const isPage = (c.res.headers.get("Content-Type") ?? "").startsWith("text/html");
  c.res.headers.append("Vary", "Cookie");
  if (!isPage || c.res.status !== 200 || c.req.method !== "GET") return;
  const theme = readTheme(c);
  const sidebar = await renderSidebar(c as unknown as Context<AdminEnv>, theme).catch(
    (error: unknown) => {
      logRecovered(c.env, "background work failed", error);
      return "";
    },
  );
  if (theme === "system" && sidebar === "") return;
  const html = await c.res.text();
  const headers = new Headers(c.res.headers);
  for (const name of ["ETag", "Content-Length"]) headers.delete(name);
  headers.set("Cache-Control", "private, no-store");
  // Otherwise, the new response would get the headers of the previous response.
  c.res = undefined;
  c.res = new Response(withFrame(html, theme, sidebar, skipLink(c)), { headers });
});

/** Returns the side bar as HTML. Empty for readers who are not signed in. */
async function renderSidebar(c: Context<AdminEnv>, theme: Theme): Promise<string> {
  const member = await findReader(c);
  if (!member) return "";
  c.set("member", member);
  const localization = localize(c);
  const { pathname, search } = new URL(c.req.url);
  const frame = { ...localization, member, theme, path: pathname + search, flash: undefined };
  const sidebar = (
    <Localized {...localization}>
      <Sidebar {...frame} />
    </Localized>
  );
  return (sidebar as { toString: () => string | Promise<string> }).toString();
}

/**
 * Returns the link that skips the side bar. It is in the language of the reader, which may differ from the language of
 * the page.
 */
function skipLink(c: Context): string {
  const language = readLanguage(c);
  return `<a class="skip" href="#content" lang="${language}">${partTexts(language).skip}</a>`;
}

/** Changes the parts of a page that depend on a theme and a side bar, like `Page` renders them. */
function withFrame(html: string, theme: Theme, sidebar: string, skip: string): string {
  const themed =
    theme === "system"
      ? html
      : html
          .replace(/<html lang="[^"]*"/, `$& data-theme="${theme}"`)
          .replace(
            'name="color-scheme" content="light dark"',
            `name="color-scheme" content="${theme}"`,
          );
  if (sidebar === "") return themed;
  return themed
    .replace("<body>", '<body class="framed">')
    .replace(/<a class="skip"[^>]*>[^<]*<\/a>/, () => skip + sidebar)
    .replace('class="main outside"', 'class="main"');
}

/** The guides, which are static pages. They need no secrets and no database, so they also explain the set-up. */
export const guideRoutes = () =>
  new Hono<AppEnv>()
    .use(
      secureHeaders({
        contentSecurityPolicy,
        xFrameOptions: "DENY",
        referrerPolicy: "same-origin",
      }),
      frameDocumentation,
    )
    .all("/docs/*", async (c) => {
      // The browser's cached page may have another frame, so its ETag is not sent.
      const request = new Request(c.req.url, { method: c.req.method });
      const response = await c.env.assets.fetch(request);
      return new Response(response.body, response);
    });
