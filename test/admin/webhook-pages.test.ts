import { describe, expect, it } from "vitest";
import { cookieOf } from "../support/members";
import { admin, client, makeApp, makeForm } from "../support/service";

const html = { Accept: "text/html" };
const form = { "Content-Type": "application/x-www-form-urlencoded" };

describe("The page of an item that does not exist", () => {
  it("links to the overview", async () => {
    const { status, text } = await admin("GET", "/webhooks/nothing", undefined, html);
    expect(status).toBe(404);
    expect(text).toContain('<a class="button quiet" href="/admin">Go to overview</a>');
  });
});

describe("The page of a new webhook", () => {
  it("preselects the usual events, and keeps those of the selected kind", async () => {
    const integrator = await client();
    const [key, app] = [
      await makeForm(integrator, undefined, { name: "Helpdesk" }),
      await makeApp(integrator),
    ];
    const { text } = await admin("GET", "/webhooks/new", undefined, html);
    const checked = [...text.matchAll(/name="types" value="([^"]+)"[^>]*checked/g)];
    const types = checked.map(([, type = ""]) => type);
    expect(types).toEqual([
      "record.created",
      "record.updated",
      "record.deleted",
      "submission.created",
      "submission.updated",
      "submission.deleted",
    ]);
    expect(text).toMatch(/name="scope" value="only" checked/);
    const create = async (...resources: string[]) => {
      const values = new URLSearchParams({ page: "webhook", name: "Stock", scope: "only" });
      values.set("url", "https://shop.example/hook");
      values.set("include", "item");
      for (const type of types) values.append("types", type);
      for (const resource of resources) values.append("resources", resource);
      const created = await admin("POST", "/webhooks", undefined, form, values.toString());
      expect([created.status, cookieOf(created)]).toEqual([201, expect.any(String)]);
      return created.body;
    };
    const ofForm = await create(`form:${key}`);
    expect(ofForm.types).toEqual(types.slice(3));
    expect((await create(`form:${key}`, `app:${app}`)).types).toEqual(types);
    // The summary names the form.
    const page = await admin("GET", `/webhooks/${ofForm.id}`, undefined, html);
    expect(page.text).toMatch(/<dt>Forms and apps<\/dt><dd>Helpdesk<\/dd>/);
  });
});
