import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { gzipSync } from "node:zlib";
import { chromium, type Browser, type BrowserContext, type Page } from "playwright-core";
import type { AxeResults } from "axe-core";
import { afterAll, afterEach, beforeAll, expect } from "vitest";

const axeSource = readFileSync(
  createRequire(import.meta.url).resolve("axe-core/axe.min.js"),
  "utf8",
);

const schemes = ["light", "dark"] as const;

interface Opened {
  page: Page;
  /** Console errors, CSP violations, uncaught exceptions, and requests to other hosts. */
  complaints: string[];
}

/** One Chromium for the file, one context (cookies of its own) for each `open`. */
export function useBrowser(url: () => string) {
  let browser: Browser;
  const opened: (Opened & { context: BrowserContext })[] = [];

  beforeAll(async () => {
    browser = await chromium.launch({
      executablePath: process.env["CHROMIUM"] ?? "/usr/bin/chromium",
      args: ["--no-sandbox"],
    });
  });
  afterAll(() => browser?.close());

  afterEach(async () => {
    const complaints = opened.flatMap((one) => one.complaints);
    await Promise.all(opened.splice(0).map(({ context }) => context.close()));
    expect(complaints).toEqual([]);
  });

  /** Options: `javaScriptEnabled`, `viewport`, `colorScheme`, `storageState` of a context that is signed in. */
  async function open(
    path: string,
    options: Parameters<Browser["newContext"]>[0] = {},
  ): Promise<Opened> {
    const context = await browser.newContext({
      baseURL: url(),
      viewport: { width: 1280, height: 800 },
      ...options,
    });
    context.setDefaultTimeout(10_000);
    const complaints: string[] = [];
    const ownOrigin = new URL(url()).origin;
    // Chromium logs every 4xx document or resource as a console error; a CSP violation is one too.
    context.on("console", (message) => {
      if (message.type() === "error") complaints.push(`console: ${message.text()}`);
    });
    context.on("weberror", (error) => complaints.push(`uncaught: ${error.error().message}`));
    context.on("request", (request) => {
      const { protocol, origin } = new URL(request.url());
      if (protocol.startsWith("http") && origin !== ownOrigin)
        complaints.push(`foreign: ${request.url()}`);
    });
    const page = await context.newPage();
    const one = { page, complaints, context };
    opened.push(one);
    await page.goto(path);
    return one;
  }

  return { open };
}

/** The rules that colours decide, which are all that can differ between a light and a dark page. */
const ofColours = ["color-contrast", "link-in-text-block"];

/**
 * `evaluate` comes over the debugging protocol, which no CSP stops: the page keeps its policy. Not for pages without
 * JavaScript: axe waits for timers, which never fire there.
 */
export async function expectNoAxeViolations(
  page: Page,
  include: string | null = null,
  rules: readonly string[] | null = null,
): Promise<void> {
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(axeSource);
  const options = rules
    ? { runOnly: { type: "rule", values: rules } }
    : { rules: { "target-size": { enabled: true } } };
  const results = (await page.evaluate(
    `axe.run(${JSON.stringify(include)} ?? document, ${JSON.stringify({ ...options, resultTypes: ["violations"] })})`,
  )) as AxeResults;
  const found = results.violations.flatMap(({ id, nodes }) =>
    nodes.map((node) => `${id}: ${node.html}\n  ${node.failureSummary ?? ""}`),
  );
  expect({ url: page.url(), found }).toEqual({ url: page.url(), found: [] });
}

/** Nothing wider than the window, except in areas that scroll by themselves. */
async function expectNoSidewaysScroll(page: Page): Promise<void> {
  const over = await page.evaluate(
    "document.documentElement.scrollWidth - document.documentElement.clientWidth",
  );
  expect([page.url(), over]).toEqual([page.url(), 0]);
}

const [desk, phone] = [1440, 390];

/**
 * At the widths of a desk and a phone, in light and dark: nothing that axe finds, nothing that has to be scrolled to the
 * side, and on a phone no table that is more than three times as tall; but for tables of the documentation, which are
 * prose and scroll by themselves.
 */
export async function expectGoodLooks(page: Page, tables: "data" | "prose" = "data") {
  const look = async (width: number) => {
    await page.setViewportSize({ width, height: 900 });
    for (const colorScheme of schemes) {
      await page.emulateMedia({ colorScheme });
      await expectNoAxeViolations(page, null, colorScheme === "light" ? null : ofColours);
      await expectNoSidewaysScroll(page);
    }
    return page
      .locator(".scroll")
      .evaluateAll((all) =>
        all.map((each) => [each.scrollWidth - each.clientWidth, each.scrollHeight] as const),
      );
  };
  const atDesk = await look(desk);
  const onPhone = await look(phone);
  if (tables === "data") {
    const over = onPhone.filter(([wider]) => wider > 0);
    const towers = onPhone.filter(([, height], i) => height > 3 * (atDesk[i]?.[1] ?? 0));
    expect([page.url(), over, towers]).toEqual([page.url(), [], []]);
  }
  await page.setViewportSize({ width: desk, height: 900 });
}

/** What a page may weigh: its HTML, style sheets and scripts, compressed. */
const mostBytes = 25 * 1024;

export async function expectLight(page: Page): Promise<void> {
  const links = await page
    .locator("link[rel=stylesheet], link[rel=modulepreload], script[src]")
    .evaluateAll((all) => all.map((each) => each.getAttribute("href") ?? each.getAttribute("src")));
  const paths = [page.url(), ...new Set(links.map((link) => new URL(link ?? "", page.url()).href))];
  const parts = await Promise.all(paths.map(async (path) => (await page.request.get(path)).body()));
  const bytes = parts.reduce((sum, part) => sum + gzipSync(part).length, 0);
  expect([page.url(), bytes, bytes <= mostBytes]).toEqual([page.url(), bytes, true]);
}

export async function signIn(page: Page, email: string, password: string): Promise<void> {
  await page.getByLabel("E-mail").fill(email);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
}
