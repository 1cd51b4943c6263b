import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { chromium, type Browser, type BrowserContext, type Page } from "playwright-core";
import type { AxeResults } from "axe-core";
import { afterAll, afterEach, beforeAll, expect } from "vitest";

const axeSource = readFileSync(
  createRequire(import.meta.url).resolve("axe-core/axe.min.js"),
  "utf8",
);

export const schemes = ["light", "dark"] as const;

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

/**
 * `evaluate` comes over the debugging protocol, which no CSP stops: the page keeps its policy. Not for pages without
 * JavaScript: axe waits for timers, which never fire there.
 */
export async function expectNoAxeViolations(
  page: Page,
  include: string | null = null,
): Promise<void> {
  await page.evaluate(axeSource);
  const results = (await page.evaluate(
    `axe.run(${JSON.stringify(include)} ?? document, { rules: { "target-size": { enabled: true } } })`,
  )) as AxeResults;
  const found = results.violations.flatMap(({ id, nodes }) =>
    nodes.map((node) => `${id}: ${node.html}\n  ${node.failureSummary ?? ""}`),
  );
  expect({ url: page.url(), found }).toEqual({ url: page.url(), found: [] });
}

/** Nothing wider than the window, except in areas that scroll by themselves. */
export async function expectNoSidewaysScroll(page: Page): Promise<void> {
  const over = await page.evaluate(
    "document.documentElement.scrollWidth - document.documentElement.clientWidth",
  );
  expect([page.url(), over]).toEqual([page.url(), 0]);
}

/** At the widths of a phone and a desk, in light and dark: nothing that axe finds, nothing that has to be scrolled. */
export async function expectGoodLooks(page: Page): Promise<void> {
  for (const colorScheme of schemes) {
    await page.emulateMedia({ colorScheme });
    for (const width of [390, 1440]) {
      await page.setViewportSize({ width, height: 900 });
      await expectNoAxeViolations(page);
      await expectNoSidewaysScroll(page);
    }
  }
}

export async function signIn(page: Page, email: string, password: string): Promise<void> {
  await page.getByLabel("E-mail").fill(email);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
}
