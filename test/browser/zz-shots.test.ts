import { afterAll, beforeAll, it } from "vitest";
import { account, Server } from "../dev/server.ts";
import { useBrowser } from "./browser.ts";
import { Person } from "./person.ts";
const server = new Server();
const { open } = useBrowser(() => server.url);
beforeAll(() => server.start());
afterAll(() => server.remove());
const paths = (process.env["SHOTS"] ?? "/admin/forms/purchase").split(",");
it("shots", async () => {
  const { page, complaints } = await open("/admin/sign-in");
  await new Person(page).signIn(account(server));
  await page.waitForURL("/admin");
  let i = 0;
  for (const path of paths) {
    i += 1;
    for (const [w, h] of [[1440, 900], [390, 844]] as const) {
      for (const scheme of ["light", "dark"] as const) {
        if (scheme === "dark" && w === 390) continue;
        await page.setViewportSize({ width: w, height: h });
        await page.emulateMedia({ colorScheme: scheme });
        await page.goto(path.replace(/!.*/, ""));
        const click = path.split("!")[1];
        if (click) await page.locator(click).first().click();
        await page.screenshot({ path: `/tmp/shots/${i}-${w}-${scheme}.png` });
      }
    }
  }
  complaints.length = 0;
}, 200_000);
