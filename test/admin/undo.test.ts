import { beforeAll, describe, expect, it } from "vitest";
import type { Client } from "../support/client";
import { anonymous, client, makeApp, makeForm, ownerCookie } from "../support/service";

let integrator: Client;
let cookie: string;
beforeAll(async () => {
  integrator = await client();
  cookie = await ownerCookie();
});

/** Submits a form as a browser does, and opens the page to which it leads. */
async function submit(path: string, form: Record<string, string>) {
  const headers = { Accept: "text/html", Cookie: cookie };
  const sent = await anonymous("POST", `/admin${path}`, form, headers);
  const said = sent.headers.getSetCookie().find((each) => each.startsWith("__Host-said="));
  const location = sent.headers.get("Location") ?? "";
  const { text } = await anonymous("GET", location, undefined, {
    Accept: "text/html",
    Cookie: `${cookie}; ${said?.split(";")[0] ?? ""}`,
  });
  return { status: sent.status, text, notice: /role="status"[^>]*>([^<]*)/.exec(text)?.[1] };
}

/** The path and the values of the form beside the notice. */
function undoOf(text: string) {
  const [form = ""] = /<div class="flash">.*?<\/form>/s.exec(text) ?? [];
  const inputs = [...form.matchAll(/name="([^"]*)" value="([^"]*)"/g)];
  return {
    path: /action="\/admin([^"]*)"/.exec(form)?.[1] ?? "",
    values: Object.fromEntries(inputs.map(([, name, value]) => [name, value])),
    isShown: form.includes("Undo"),
  };
}

describe("The notice of an action", () => {
  const fields = [
    { key: "title", label: "Title", type: "text" },
    { key: "amount", label: "Amount", type: "number" },
  ];
  const makeItem = async () => {
    const form = await makeForm(integrator, fields);
    const path = `/forms/${form}/submissions`;
    const { body } = await integrator.post(path, { data: { title: "Desk", amount: 1 } });
    const read = async () => (await integrator.get(`/submissions/${body.id}`)).body;
    return { path: `/forms/${form}/items/${body.id}`, read };
  };

  it("takes back closing and reopening a submission", async () => {
    const { path, read } = await makeItem();
    const closed = await submit(`${path}/close`, { $version: "1" });
    expect(closed.notice).toBe("Desk closed");
    const undo = undoOf(closed.text);
    expect(undo).toMatchObject({ path: `${path}/reopen`, isShown: true });
    const reopened = await submit(undo.path, undo.values);
    expect(reopened.notice).toBe("Desk reopened");
    expect((await read()).status).toBe("submitted");
    expect(undoOf(reopened.text).path).toBe(`${path}/close`);
  });

  it("takes back an edit, unless someone changed the item meanwhile", async () => {
    const { path, read } = await makeItem();
    const seen = (text: string) => /name="\$seen" value="([^"]*)"/.exec(text)?.[1] ?? "";
    const edit = async (title: string) => {
      const headers = { Accept: "text/html", Cookie: cookie };
      const { text } = await anonymous("GET", `/admin${path}?edit`, undefined, headers);
      const $seen = seen(text).replaceAll("&quot;", '"');
      const $version = /name="\$version" value="([^"]*)"/.exec(text)?.[1] ?? "";
      return submit(path, { $seen, $version, $zone: "UTC", title, amount: "1" });
    };
    const edited = await edit("Chair");
    expect(edited.notice).toBe("Chair saved");
    const undo = undoOf(edited.text);
    await submit(undo.path, undo.values);
    expect((await read()).data.title).toBe("Desk");
    const late = undoOf((await edit("Lamp")).text);
    await edit("Shelf");
    const headers = { Accept: "text/html", Cookie: cookie };
    const refused = await anonymous("POST", `/admin${late.path}`, late.values, headers);
    expect(refused.status).toBe(412);
    expect((await read()).data.title).toBe("Shelf");
    // Nothing changed, so there is nothing to take back.
    expect(undoOf((await edit("Shelf")).text).isShown).toBe(false);
  });

  it("takes back a deletion", async () => {
    const { path, read } = await makeItem();
    const deleted = await submit(`${path}/delete`, { $version: "1" });
    expect([deleted.notice, undoOf(deleted.text).isShown]).toEqual(["Desk deleted", true]);
    const undo = undoOf(deleted.text);
    expect((await submit(undo.path, undo.values)).notice).toBe("Desk restored");
    expect((await read()).data.title).toBe("Desk");
  });
});

describe("The history of an item", () => {
  it("offers to revert only what differs from the present value", async () => {
    const form = await makeForm(integrator, [{ key: "title", label: "Title", type: "text" }]);
    const created = await integrator.post(`/forms/${form}/submissions`, { data: { title: "A" } });
    const path = `/submissions/${created.body.id}`;
    await integrator.patch(path, { data: { title: "B" } });
    const page = async () => {
      const headers = { Accept: "text/html", Cookie: cookie };
      const address = `/admin/forms/${form}/items/${created.body.id}`;
      return (await anonymous("GET", address, undefined, headers)).text;
    };
    const reverts = async () => (await page()).split(">Revert<").length - 1;
    expect(await reverts()).toBe(1);
    await integrator.patch(path, { data: { title: "A" } });
    // Of A → B and B → A, only the second one would change something.
    expect(await reverts()).toBe(1);
  });

  it("calls an update that restores former values a reversal, and the notice names the fields", async () => {
    const form = await makeForm(integrator, [
      { key: "title", label: "Title", type: "text" },
      { key: "note", label: "Note", type: "text" },
      { key: "both", label: "Both", type: "computed", formula: "title + note", result: "text" },
    ]);
    const data = { title: "A", note: "x" };
    const created = await integrator.post(`/forms/${form}/submissions`, { data });
    await integrator.patch(`/submissions/${created.body.id}`, { data: { title: "B", note: "y" } });
    const path = `/forms/${form}/items/${created.body.id}`;
    const reverted = await submit(`${path}/revert`, { $version: "2", change: "2", field: "note" });
    expect(reverted.notice).toBe("Note of B reverted");
    expect(reverted.text).toMatch(/Reverted by .*Updated by .*Created by /s);
    // The remaining button names its field.
    expect(reverted.text).toContain('aria-label="Revert Title"');
    expect(reverted.text).not.toContain("Revert all");
  });
});

describe("The page of an item", () => {
  const page = async (path: string) => {
    const headers = { Accept: "text/html", Cookie: cookie };
    return (await anonymous("GET", `/admin${path}`, undefined, headers)).text;
  };

  it("offers one deletion, whose dialog says how a permanent one differs", async () => {
    const fields = [{ key: "title", label: "Title", type: "text" }];
    const form = await makeForm(integrator, fields);
    const data = { title: "A" };
    const submission = (await integrator.post(`/forms/${form}/submissions`, { data })).body;
    const open = await page(`/forms/${form}/items/${submission.id}`);
    expect(open).toContain("You can restore it for 7 days.");
    expect(open).toContain(
      " deletes it now, with history, files and stored responses. You can’t undo this.",
    );
    expect(open.split("Permanently delete…").length - 1).toBe(1);
    expect(open).toContain("Did a person ask you to delete their data?");
    const app = await makeApp(integrator, fields);
    const record = (await integrator.post(`/apps/${app}/records`, { data })).body;
    const path = `/apps/${app}/items/${record.id}`;
    expect((await page(path)).split("Permanently delete…").length - 1).toBe(1);
    const confirmation = await page(`${path}/erase`);
    expect(confirmation).toContain("The values of 1 field");
    // A record that nobody edited has no earlier values.
    expect(confirmation).not.toMatch(/earlier values|“Delete”|search entries|feed/);
  });

  it("has no link to a previous item on the first one of the list", async () => {
    const form = await makeForm(integrator, [{ key: "title", label: "Title", type: "text" }]);
    const create = async (title: string) =>
      (await integrator.post(`/forms/${form}/submissions`, { data: { title } })).body.id as string;
    const ids = [await create("A"), await create("B")];
    const path = (at: number) => `/forms/${form}/items/${ids[at] ?? ""}?list=&at=${at}`;
    expect(await page(path(0))).not.toContain('rel="prev"');
    expect(await page(path(0))).toContain('rel="next"');
    expect(await page(path(1))).toContain('rel="prev"');
  });
});
