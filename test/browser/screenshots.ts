import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { parseArguments } from "../../src/dev/command.ts";
import { account, project, Server } from "../dev/server.ts";
import { launchChromium } from "./chromium.ts";
import { digestFile, pictureSources } from "./picture-sources.ts";

const usage = `
Usage: npm run screenshots
       npm run screenshots -- URL FOLDER

Takes the pictures of the README from the demo, in light and dark, and stores them in docs/images,
with the digests of their sources.
With a URL and a folder, uses the npm run dev that runs in that folder.
`;

const folder = join(project, "docs/images");
const maxBytes = 150_000;
const width = 1200;

/** The pictures: a name, the path of a page, and the height of the window. */
const pictures: [name: string, find: (page: Page) => Promise<string>, height: number][] = [
  ["overview", async () => "/admin", 760],
  ["items", async () => "/admin/apps/orders/items", 760],
  [
    "requests",
    async (page) => {
      await page.goto("/admin/integrations");
      return page.getByRole("link", { name: "ERP sync" }).first().getAttribute("href").then(String);
    },
    760,
  ],
];

async function takePictures(url: string, sign: { email: string; password: string }): Promise<void> {
  const browser = await launchChromium();
  const context = await browser.newContext({
    baseURL: url,
    deviceScaleFactor: 1.5,
    locale: "en-GB",
    timezoneId: "Europe/London",
  });
  const page = await context.newPage();
  await page.goto("/admin/sign-in");
  await page.getByLabel("Email").fill(sign.email);
  await page.getByLabel("Password").fill(sign.password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.waitForURL("/admin");
  for (const [name, find, height] of pictures) {
    await page.setViewportSize({ width, height });
    await page.goto(await find(page));
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      await takePicture(page, `${name}-${colorScheme}`);
    }
  }
  await browser.close();
}

/** Playwright itself offers no WebP. */
async function takePicture(page: Page, name: string): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send("Page.captureScreenshot", { format: "webp", quality: 80 });
  const bytes = Buffer.from(data, "base64");
  if (bytes.length > maxBytes) throw new Error(`${name} has ${bytes.length} bytes.`);
  writeFileSync(join(folder, `${name}.webp`), bytes);
  process.stdout.write(`docs/images/${name}.webp  ${Math.round(bytes.length / 1000)} KB\n`);
}

const [runningUrl, runningFolder] = parseArguments(usage, {}, 2).positionals;
mkdirSync(folder, { recursive: true });
if (runningUrl && runningFolder) {
  await takePictures(runningUrl, account({ folder: runningFolder }));
} else {
  const server = new Server("npm run dev");
  try {
    await server.start();
    await takePictures(server.url, account(server));
  } finally {
    await server.remove();
  }
}
const digests = JSON.stringify(pictureSources(project), null, 2);
writeFileSync(join(project, digestFile), `${digests}\n`);
