import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { account, caller, Server, type Call } from "../dev/server.ts";
import { expectGoodLooks, useBrowser } from "./browser.ts";
import { Person } from "./person.ts";

/** How often a page is loaded again until it shows what happened in the background. */
const reloads = { timeout: 20_000, interval: 300 };

describe.each([
  ["with scripts", true],
  ["without scripts", false],
])("Webhooks, %s", (_, javaScriptEnabled) => {
  const server = new Server();
  const { open } = useBrowser(() => server.url);
  let status = 200;
  const receiver = createServer((_request, response) =>
    response.writeHead(status).end(`answered ${status}`),
  );
  let url = "";
  let call: Call;
  beforeAll(async () => {
    await server.start();
    await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
    url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
    call = caller(server.url, (await server.credential("--name", "Maker")).token);
  }, 120_000);
  afterAll(async () => {
    receiver.close();
    await server.remove();
  });

  const signIn = async () => {
    const { page, complaints } = await open("/admin", {
      javaScriptEnabled,
      member: account(server),
    });
    return { page, person: new Person(page), complaints };
  };
  const createSubmission = () =>
    call("POST", "/forms/purchase/submissions", {
      data: { title: "Two monitors", department: "Design", amount: 840 },
    });

  it("delivers the first event after nine actions, and shows the secret once", async () => {
    status = 200;
    const { page, person } = await signIn();
    await person.follow("Webhooks");
    await person.follow("Create webhook");
    await person.fill("Name", "Stock");
    await person.fill("Endpoint URL", url);
    person.actions += 2;
    await page.getByLabel(/^Submission created/).check();
    await page.getByLabel(/^Purchase request/).check();
    await person.press("Create webhook");
    const secret = (await page.textContent("#secret")) ?? "";
    expect(secret).toMatch(/^whsec_/);
    await page.reload();
    expect(await page.content()).not.toContain(secret);
    expect(await person.main()).toContain("This secret was already shown");
    await page.goto("/admin/webhooks");
    await person.follow("Stock");
    await person.press("Send test event");
    await page.getByText(/Event delivered: 200 in \d+ ms/).waitFor();
    expect(person.actions).toBeLessThanOrEqual(9);
    expect(await person.main()).toContain("Test event");
    await createSubmission();
    await expect
      .poll(async () => page.reload().then(() => person.main()), reloads)
      .toContain("Submission created");
  }, 60_000);

  it("shows errors next to their inputs and keeps the input", async () => {
    const { page, person, complaints } = await signIn();
    await page.goto("/admin/webhooks/new");
    await person.fill("Name", "Kept");
    await person.fill("Endpoint URL", "http://10.0.0.1/hook");
    await person.press("Create webhook");
    const alert = page.getByRole("alert");
    for (const label of ["Endpoint URL", "Forms and apps"]) {
      expect(await alert.textContent()).toContain(label);
    }
    expect(await person.input("Name").inputValue()).toBe("Kept");
    expect(await page.locator("#f-resources-wrong").textContent()).toContain(
      "Choose all forms and apps",
    );
    complaints.length = 0;
  });

  it("shows a failing receiver's response and the next attempt, and retries at once on request", async () => {
    const { page, person } = await signIn();
    await page.goto("/admin/webhooks");
    await person.follow("Stock");
    status = 503;
    await createSubmission();
    await expect
      .poll(async () => page.reload().then(() => person.main()), reloads)
      .toContain("Later events are queued");
    expect(await person.main()).toContain("The receiver answered 503.");
    expect(await page.locator("details pre").first().textContent()).toBe("answered 503");
    status = 200;
    await person.press("Retry now");
    await expect
      .poll(async () => page.reload().then(() => person.main()), reloads)
      .not.toContain("Later events are queued");
    await page.getByRole("button", { name: "Send again" }).first().click();
    await page.getByText(/Event delivered/).waitFor();
    expect(await person.main()).toContain("Sent again");
  }, 90_000);

  it("pauses, resumes, edits, rotates the secret, and deletes after a confirmation", async () => {
    const { page, person } = await signIn();
    await page.goto("/admin/webhooks");
    await person.follow("Stock");
    await person.press("Pause webhook");
    await page.getByText("Webhook paused").waitFor();
    await page.goto("/admin");
    expect(await person.main()).toContain("Webhook “Stock” is paused. Events are kept, and sent");
    await page.goto("/admin/webhooks");
    await person.follow("Stock");
    await person.press("Resume webhook");
    await page.getByText("Webhook active").waitFor();
    await page.locator("main").getByRole("link", { name: "Settings", exact: true }).click();
    await person.fill("Name", "Warehouse");
    await person.press("Save changes");
    await page.getByText("Webhook saved").waitFor();
    expect(await page.textContent("h1")).toBe("Warehouse");
    await person.follow("Secrets");
    await person.press("Rotate secret");
    expect(await page.textContent("#secret")).toMatch(/^whsec_/);
    await person.follow("Done");
    await person.press("Delete webhook…");
    await page.getByRole("dialog").getByRole("button", { name: "Delete webhook" }).click();
    await page.getByText("Webhook deleted").waitFor();
    expect(await person.main()).not.toContain("Warehouse");
  }, 60_000);

  it.each(javaScriptEnabled ? ["with scripts"] : [])(
    "%s, the pages have no axe violations when empty, filled, failing or with long texts",
    async () => {
      const { page, complaints } = await signIn();
      const expectGoodLook = () => expectGoodLooks(page);
      await page.goto("/admin/webhooks");
      await expectGoodLook();
      const name = "Beschaffungsantragsbearbeitungsverfahren 事務用回転椅子の購入申請";
      const types = ["submission.created", "submission.updated", "submission.closed"];
      const response = await page.request.post("/admin/webhooks", {
        headers: { Accept: "application/json", Origin: server.url },
        data: { name, url: `${url}/${"long-path/".repeat(12)}`, types, collections: "all" },
      });
      const { id } = (await response.json()) as { id: string };
      status = 500;
      await createSubmission();
      await page.goto(`/admin/webhooks/${id}`);
      await expect
        .poll(async () => page.reload().then(() => page.content()), reloads)
        .toContain("Later events are queued");
      await expectGoodLook();
      const views = ["", "/new", `/${id}/settings`, `/${id}/secrets`, `/${id}/secret`];
      for (const view of views) {
        await page.goto(`/admin/webhooks${view}`);
        await expectGoodLook();
      }
      await page.goto("/admin/webhooks/new");
      await page.getByLabel("Name", { exact: true }).fill("Wrong");
      await page.getByLabel("Endpoint URL").fill("ftp://x");
      await page.getByRole("button", { name: "Create webhook" }).click();
      await expectGoodLook();
      complaints.length = 0;
    },
    180_000,
  );
});
