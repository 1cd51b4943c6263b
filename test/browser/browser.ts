import { gzipSync } from "node:zlib";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterEach, beforeAll, expect } from "vitest";
import { colourRules, expectNoAxeViolations, layoutRules } from "./axe.ts";
import { launchChromium } from "./chromium.ts";

const schemes = ["light", "dark"] as const;
type Scheme = (typeof schemes)[number];

interface OpenPage {
  page: Page;
  /** Console errors, CSP violations, uncaught exceptions, and requests to other hosts. */
  complaints: string[];
  /** The types of the dialogs that the pages opened, such as "beforeunload". */
  dialogs: string[];
}

interface Member {
  email: string;
  password: string;
}

const sessionCookie = { name: "__Host-session", httpOnly: true, sameSite: "Lax" } as const;

async function startSession(url: string, member: Member): Promise<string> {
  const response = await fetch(`${url}/admin/sign-in`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Accept: "application/json", Origin: url },
    body: JSON.stringify(member),
  });
  const cookie = /__Host-session=([^;]+)/.exec(response.headers.get("Set-Cookie") ?? "")?.[1];
  if (cookie === undefined) throw new Error(`${member.email} cannot sign in: ${response.status}`);
  return decodeURIComponent(cookie);
}

/** One Chromium serves all files that run in this process, and ends with it. */
let launched: Promise<Browser> | undefined;

/** Each call of `open` gets a context with its own cookies. */
export function useBrowser(url: () => string) {
  let browser: Browser;
  const openPages: (OpenPage & { context: BrowserContext })[] = [];

  beforeAll(async () => {
    browser = await (launched ??= launchChromium());
  });

  afterEach(async () => {
    const complaints = openPages.flatMap((openPage) => openPage.complaints);
    await Promise.all(openPages.splice(0).map(({ context }) => context.close()));
    expect(complaints).toEqual([]);
  });

  /** The session cookies by email. Signing in through the form costs as much as several pages. */
  const sessions = new Map<string, Promise<string>>();

  /**
   * Opens a page in a new context, as this member if there is one: their contexts share a session. The options are those
   * of Playwright's contexts, such as `javaScriptEnabled`.
   */
  async function open(
    path: string,
    { member, ...options }: Parameters<Browser["newContext"]>[0] & { member?: Member } = {},
  ): Promise<OpenPage> {
    const context = await browser.newContext({
      baseURL: url(),
      viewport: { width: 1280, height: 800 },
      ...options,
    });
    context.setDefaultTimeout(10_000);
    if (member) {
      const session = sessions.get(member.email) ?? startSession(url(), member);
      sessions.set(member.email, session);
      const address = url().replace("http:", "https:");
      await context.addCookies([{ ...sessionCookie, url: address, value: await session }]);
    }
    const complaints: string[] = [];
    const ownOrigin = new URL(url()).origin;
    // Chromium logs 4xx documents and resources as console errors, and also CSP violations.
    context.on("console", (message) => {
      if (message.type() === "error") complaints.push(`console: ${message.text()}`);
    });
    context.on("weberror", (error) => complaints.push(`uncaught: ${error.error().message}`));
    context.on("request", (request) => {
      const { protocol, origin } = new URL(request.url());
      if (protocol.startsWith("http") && origin !== ownOrigin)
        complaints.push(`foreign: ${request.url()}`);
    });
    // Pages warn before unsaved changes are lost. Tests leave them anyway.
    const dialogs: string[] = [];
    context.on("dialog", (dialog) => {
      dialogs.push(dialog.type());
      void dialog.accept();
    });
    const page = await context.newPage();
    const openPage = { page, complaints, dialogs, context };
    openPages.push(openPage);
    await page.goto(path);
    return openPage;
  }

  return { open };
}

/** Expects that nothing is wider than the window, except in areas with their own scroll bars. */
async function expectNoSidewaysScroll(page: Page): Promise<void> {
  const excess = await page.evaluate(
    "document.documentElement.scrollWidth - document.documentElement.clientWidth",
  );
  expect([page.url(), excess]).toEqual([page.url(), 0]);
}

const [desktopWidth, phoneWidth] = [1440, 390];
const windowHeight = 900;

/** How many pages of this file were checked. */
let checkedCount = 0;

/**
 * Checks a page at the width of a desktop in one colour scheme, and at that of a phone in the other: no axe violations and
 * no sideways scrolling. Pages take turns between the two combinations. On a phone, data tables must also fit. There, a row
 * is a card with at most one line per column, and with three lines in any case. Tables of prose in the documentation may
 * scroll. `height` is that of the window.
 */
export async function expectGoodLooks(
  page: Page,
  tables: "data" | "prose" = "data",
  height = windowHeight,
) {
  const check = async (width: number, colorScheme: Scheme, rules: readonly string[] | null) => {
    await page.setViewportSize({ width, height });
    await page.emulateMedia({ colorScheme });
    await expectNoAxeViolations(page, null, rules);
    await expectNoSidewaysScroll(page);
    return page
      .locator(".scroll")
      .evaluateAll((elements) =>
        elements.map(
          (element) =>
            [
              element.scrollWidth - element.clientWidth,
              element.scrollHeight,
              element.querySelectorAll("thead th").length,
            ] as const,
        ),
      );
  };
  const [scheme, otherScheme] = checkedCount % 2 === 0 ? schemes : schemes.toReversed();
  const onDesktop = await check(desktopWidth, scheme, null);
  const onPhone = await check(phoneWidth, otherScheme, [...layoutRules, ...colourRules]);
  checkedCount += 1;
  if (tables === "data") {
    const wideTables = onPhone.filter(([excess]) => excess > 0);
    const tallTables = onPhone.filter(
      ([, tableHeight, columnCount], i) =>
        tableHeight > Math.max(3, columnCount) * (onDesktop[i]?.[1] ?? 0),
    );
    expect([page.url(), wideTables, tallTables]).toEqual([page.url(), [], []]);
  }
  await page.setViewportSize({ width: desktopWidth, height: windowHeight });
}

/** The maximum size of a page's HTML, style sheets and scripts, compressed. */
const maxPageBytes = 30 * 1024;

/** The compressed sizes of style sheets and scripts by address, which many pages share. */
const assetBytes = new Map<string, Promise<number>>();

export async function expectLight(page: Page): Promise<void> {
  const load = async (path: string) => gzipSync(await (await page.request.get(path)).body()).length;
  const links = await page
    .locator("link[rel=stylesheet], link[rel=modulepreload], script[src]")
    .evaluateAll((elements) =>
      elements.map((element) => element.getAttribute("href") ?? element.getAttribute("src")),
    );
  const assets = [...new Set(links.map((link) => new URL(link ?? "", page.url()).href))];
  const sizes = assets.map((asset) => {
    const size = assetBytes.get(asset) ?? load(asset);
    assetBytes.set(asset, size);
    return size;
  });
  const bytes = (await Promise.all([load(page.url()), ...sizes])).reduce((sum, size) => sum + size);
  expect([page.url(), bytes, bytes <= maxPageBytes]).toEqual([page.url(), bytes, true]);
}

export async function signIn(page: Page, email: string, password: string): Promise<void> {
  await page.getByLabel("Email").fill(email);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
}
