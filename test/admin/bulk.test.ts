import { describe, expect, it } from "vitest";
import type { Json } from "../support/client";
import { as, newMember } from "../support/members";
import { admin, makeApp } from "../support/service";

import { fields, formWith, html, integrator } from "./bulk-forms";

describe("A bulk action on selected items", () => {
  it.each(["edit", "close", "delete"])(
    "answers %s with the reason, and asks nothing, when all selected submissions are closed",
    async (name) => {
      const { form, ids, act } = await formWith({ title: "a" });
      await integrator.patch(`/submissions/${ids[0]}`, { status: "closed" });
      const answer = await act({ ids, act: name }, html);
      expect([answer.status, answer.headers.get("Location")]).toEqual([
        303,
        `/admin/forms/${form}/items`,
      ]);
      const flash = decodeURIComponent(answer.headers.get("Set-Cookie") ?? "");
      expect(flash).toContain(`Nothing to ${name}: all selected submissions are closed`);
    },
  );

  it("rejects more items than it takes, rather than leaving some out silently", async () => {
    const { act } = await formWith();
    const ids = Array.from({ length: 101 }, (_, i) => `sub_${i}`);
    const { status, body } = await act({ ids, act: "close", sure: "yes" });
    expect([status, body.errors?.[0]]).toEqual([
      422,
      { field: "ids", code: "too_large", reason: "Must have at most 100 entries." },
    ]);
  });

  it("names the items that it left out, and why", async () => {
    const { act, create, ids } = await formWith({ title: "Open" }, { title: "Closed" });
    await integrator.patch(`/submissions/${ids[1]}`, { status: "closed" });
    const draft = await create({ title: "Draft" }, "draft");
    const gone = await create({ title: "Gone" });
    await integrator.delete(`/submissions/${gone}`);
    const { body } = await act({ ids: [...ids, draft, gone], act: "close", sure: "yes" });
    expect(body).toMatchObject({ done: 1, refused: 3, next: null });
    expect(body.failed.map(({ id, reason }: Json) => [id, reason]).toSorted()).toEqual(
      [
        [draft, "still a draft"],
        [gone, "no longer exists"],
        [ids[1], "already closed"],
      ].toSorted(),
    );
  });

  it("shows the numbers, and a page of the result when many items were left out", async () => {
    const { act, ids } = await formWith(
      ...Array.from({ length: 8 }, (_, i) => ({ title: `T${i}` })),
    );
    for (const id of ids.slice(0, 7))
      await integrator.patch(`/submissions/${id}`, { status: "closed" });
    const { text, status } = await act({ ids, act: "delete", sure: "yes" }, html);
    expect(status).toBe(200);
    expect(text).toContain("1 deleted, 7 not deleted");
    expect(text.match(/already closed/g)).toHaveLength(7);
    expect(text).toMatch(/<a href="[^"]+">T3</);
  });

  it("edits one field: asks for it, then for its value, then confirms with the number", async () => {
    const { act, ids, form } = await formWith({ title: "a" }, { title: "b" });
    const choice = await act({ ids, act: "edit" }, html);
    expect(choice.text).toContain("Edit 2 submissions");
    expect(choice.text).toMatch(/<option value="amount"/);
    const value = await act({ ids, act: "edit", field: "amount" }, html);
    expect(value.text).toContain("Set Amount in 2 submissions");
    const wrong = await act(
      { ids, act: "edit", field: "amount", value: "2000", sure: "yes" },
      html,
    );
    expect([wrong.status, wrong.text.includes('value="2000"')]).toEqual([422, true]);
    const items = async () =>
      (await integrator.get(`/forms/${form}/submissions`)).body.items as Json[];
    const blank = await act({ ids, act: "edit", field: "amount", value: "", sure: "yes" }, html);
    expect([blank.status, blank.text.includes("select “Clear the field”")]).toEqual([422, true]);
    expect((await items()).every(({ version }) => version === 1)).toBe(true);
    const done = await act({ ids, act: "edit", field: "amount", value: "20", sure: "yes" }, html);
    expect(done.status).toBe(303);
    expect((await items()).map(({ data }) => data.amount)).toEqual([20, 20]);
    const cleared = { ids, act: "edit", field: "amount", value: "", clear: "yes", sure: "yes" };
    expect((await act(cleared, html)).status).toBe(303);
    expect((await items()).map(({ data }) => data.amount)).toEqual([null, null]);
  });

  it("sends records one value, and rejects closing them", async () => {
    const app = await makeApp(integrator, fields);
    const { id } = (await integrator.post(`/apps/${app}/records`, { data: { title: "a" } })).body;
    const path = `/apps/${app}/items/selected`;
    const edit = { ids: [id], act: "edit", sure: "yes", data: { kind: "b" } };
    expect((await admin("POST", path, edit)).body).toMatchObject({ done: 1, refused: 0 });
    const answer = await admin("POST", path, { ids: [id], act: "close", sure: "yes" });
    expect([answer.status, answer.body.errors[0].field]).toEqual([422, "act"]);
  });

  it("is for members who can write; viewers only download", async () => {
    const { form, ids } = await formWith({ title: "a" });
    const { cookie } = await newMember("viewer");
    const path = `/forms/${form}/items/selected`;
    for (const act of ["edit", "close", "delete"]) {
      const body = { ids, act, sure: "yes", data: { title: "b" } };
      expect((await as(cookie)("POST", path, body)).status).toBe(403);
    }
    expect((await as(cookie)("POST", path, { all: "yes", act: "download" })).status).toBe(200);
  });

  it.each([
    [{ act: "explode" }, "act"],
    [{ act: "edit", sure: "yes", data: { nothing: 1 } }, "nothing"],
    [{ act: "edit", sure: "yes", data: { amount: "x" } }, "amount"],
    [{ act: "close", search: "nonsense=1" }, "nonsense"],
  ])("rejects %j", async (body, field) => {
    const { act, ids } = await formWith({ title: "a" });
    const answer = await act({ ids, ...body });
    expect([answer.status, answer.body.errors?.[0].field]).toEqual([422, field]);
  });
});

/** The notice and the values of its “Undo”, from the cookie that carries them to the next page. */
function noticeOf(headers: Headers): { shown: string; undo?: { values: Json } } {
  const said = /__Host-said=([^;]*)/.exec(headers.get("Set-Cookie") ?? "")?.[1] ?? "";
  const text = decodeURIComponent(said);
  return text.startsWith("~") ? JSON.parse(text.slice(1)) : { shown: text };
}

describe("Closing and reopening several submissions", () => {
  it("can both be taken back, except for submissions that changed since", async () => {
    const { ids, act, count } = await formWith({ title: "A" }, { title: "B" }, { title: "C" });
    const closed = noticeOf((await act({ ids, act: "close", sure: "yes" }, html)).headers);
    expect(closed.shown).toBe("3 submissions closed");
    const reopened = noticeOf((await act(closed.undo?.values ?? {}, html)).headers);
    expect(reopened.shown).toBe("3 submissions reopened");
    expect(await count("f.$status.eq=submitted")).toBe(3);

    const again = noticeOf((await act({ ids, act: "close", sure: "yes" }, html)).headers);
    expect((await act({ ids: ids.slice(0, 1), act: "reopen", sure: "yes" })).body).toMatchObject({
      done: 1,
      refused: 0,
    });
    const late = noticeOf((await act(again.undo?.values ?? {}, html)).headers);
    expect(late.shown).toBe("!2 submissions reopened. Skipped 1 that changed since then.");
  });

  it("offers to reopen only where a closed submission can be selected", async () => {
    const { form, ids, act } = await formWith({ title: "A" }, { title: "B" });
    const offers = async (search = "") =>
      (await admin("GET", `/forms/${form}/items${search}`, undefined, html)).text.includes(
        'value="reopen"',
      );
    expect(await offers()).toBe(false);
    await act({ ids: ids.slice(0, 1), act: "close", sure: "yes" });
    expect(await offers()).toBe(true);
    expect(await offers("?f.$status.eq=submitted")).toBe(false);
  });

  it("reopens closed submissions only, and says so before and after", async () => {
    const { ids, create, act, count } = await formWith({ title: "A" }, { title: "B" });
    const draft = await create({ title: "Draft" }, "draft");
    await act({ ids: ids.slice(0, 1), act: "close", sure: "yes" });
    const selected = { ids: [...ids, draft], act: "reopen" };
    const { text } = await act(selected, html);
    expect(text).toContain("Reopen 1 submission?");
    expect(text).toContain("2 of 3 submissions won’t change");
    const { body } = await act({ ...selected, sure: "yes" });
    expect(body).toMatchObject({ done: 1, refused: 2 });
    expect(body.failed.map(({ reason }: Json) => reason)).toEqual(["not closed", "not closed"]);
    expect(await count("f.$status.eq=closed")).toBe(0);
    expect(await count("f.$status.eq=submitted")).toBe(2);
    const none = noticeOf((await act({ ids, act: "reopen" }, html)).headers);
    expect(none.shown).toBe("!Nothing to reopen: no selected submission is closed");
  });
});

describe("A bulk edit of one field", () => {
  const kinds = async (form: string) =>
    (await admin("GET", `/forms/${form}/items?sort=title`)).body.items.map(
      ({ data }: Json) => data.kind,
    );

  it("shows the present values before, says what changed after, and can be taken back", async () => {
    const { form, ids, act } = await formWith(
      { title: "A", kind: "a" },
      { title: "B", kind: "a" },
      { title: "C" },
      { title: "D", kind: "b" },
    );
    const body = { ids, act: "edit", field: "kind" };
    const question = (await act(body, html)).text.replaceAll(/<[^>]+>/g, " ");
    expect(question).toMatch(/Current values of Kind\s+Items\s+a\s+2\s/);
    expect(question).toMatch(/\sb\s+1\s/);
    expect(question).toMatch(/No value\s+1\s/);
    const edited = await act({ ...body, value: "b", sure: "yes" }, html);
    const { shown, undo } = noticeOf(edited.headers);
    expect(shown).toBe("Kind set to “b” in 3 submissions. 1 already had this value.");
    expect(await kinds(form)).toEqual(["b", "b", "b", "b"]);
    await integrator.patch(`/submissions/${ids[1] ?? ""}`, { data: { title: "Bb" } });
    const undone = await act(undo?.values ?? {}, html);
    expect(noticeOf(undone.headers).shown).toBe(
      "!2 submissions reverted. Skipped 1 that changed since then.",
    );
    expect(await kinds(form)).toEqual(["a", "b", null, "b"]);
  });

  it("is taken back only by its member, and only by its request", async () => {
    const { ids, act } = await formWith({ title: "A", kind: "a" });
    const edited = await act({ ids, act: "edit", data: { kind: "b" }, sure: "yes" }, html);
    const { undo } = noticeOf(edited.headers);
    expect((await act({ act: "undo", request: "another" })).status).toBe(404);
    const { form } = await formWith({ title: "A" });
    const elsewhere = await admin("POST", `/forms/${form}/items/selected`, undo?.values ?? {});
    expect(elsewhere.status).toBe(404);
    const editor = as((await newMember("editor")).cookie);
    const path =
      edited.headers
        .get("Location")
        ?.replace(/^\/admin/, "")
        .split("?")[0] ?? "";
    const stranger = await editor("POST", `${path}/selected`, undo?.values ?? {});
    expect(stranger.status).toBe(404);
    expect((await act(undo?.values ?? {})).body).toEqual({ done: 1, refused: 0 });
  });
});
