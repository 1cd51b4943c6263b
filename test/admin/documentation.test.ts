import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { host } from "../support/client";
import { anonymous, ownerCookie } from "../support/service";
import { serve } from "../support/serve";

const acceptHtml = { Accept: "text/html" };

/** A guide as the build renders it. */
const guide =
  '<!doctype html><html lang="en"><head><meta name="color-scheme" content="light dark"/></head><body><a class="skip" href="#content">Skip to content</a><main id="content" class="main outside">Fields</main></body></html>';

async function openGuide(cookies: string) {
  const assets = {
    fetch: async () =>
      new Response(guide, { headers: { "Content-Type": "text/html", ETag: '"1"' } }),
  };
  const ctx = createExecutionContext();
  const request = new Request(`${host}/docs/fields`, { headers: { Cookie: cookies } });
  const response = await serve(request, { ...env, ASSETS: assets as unknown as Fetcher }, ctx);
  const text = await response.text();
  await waitOnExecutionContext(ctx);
  return { text, headers: response.headers };
}

describe("The documentation", () => {
  let cookie: string;
  beforeAll(async () => {
    cookie = await ownerCookie();
  });

  it("follows the theme that the reader chose, on guides and on the reference", async () => {
    expect((await openGuide("")).text).toBe(guide);
    const dark = (await openGuide("theme=dark")).text;
    expect(dark).toContain('<html lang="en" data-theme="dark">');
    expect(dark).toContain('content="dark"');
    const reference = await anonymous("GET", "/docs", undefined, {
      ...acceptHtml,
      Cookie: "theme=light",
    });
    expect(reference.text).toContain('data-theme="light"');
  });

  it("has the link over the side bar in the language of the member", async () => {
    const { text } = await openGuide(`${cookie}; language=ja`);
    expect(text).toContain('<a class="skip" href="#content" lang="ja">本文へ移動</a>');
  });

  it("has the side bar of the area for members, and for nobody else", async () => {
    const { text, headers } = await openGuide(cookie);
    expect(text).toContain('<body class="framed">');
    expect(text).toMatch(/<a href="\/docs\/contents" aria-current="page">Guides<\/a>/);
    expect(text).not.toContain("main outside");
    expect([headers.get("Cache-Control"), headers.get("ETag")]).toEqual([
      "private, no-store",
      null,
    ]);
    const reference = await anonymous("GET", "/docs", undefined, { ...acceptHtml, Cookie: cookie });
    expect(reference.text).toMatch(/<a href="\/docs" aria-current="page">API reference<\/a>/);
    for (const other of ["", "__Host-session=invented"]) {
      const plain = await openGuide(other);
      expect([plain.text, plain.headers.get("Vary")]).toEqual([guide, "Cookie"]);
    }
  });

  it("names the page as the one to return to after a choice of theme or language", async () => {
    const headers = { ...acceptHtml, Cookie: cookie };
    const back = async (path: string) => {
      const form = { theme: "dark", back: path };
      return (await anonymous("POST", "/admin/preferences", form, headers)).headers.get("Location");
    };
    expect(await back("/docs/fields?a=1")).toBe("/docs/fields?a=1");
    expect(await back("//elsewhere.example/docs/")).toBe("/admin");
    expect(await back("/docsx")).toBe("/admin");
  });
});
