import { beforeAll, describe, expect, it } from "vitest";
import type { Client } from "../support/client";
import { announcement, pdf, putContent } from "../support/files";
import { client, makeForm } from "../support/service";

let owner: Client;
beforeAll(async () => {
  owner = await client();
});

describe("A draft with files is submitted without sending them again", () => {
  const fields = [
    { key: "title", type: "text" },
    { key: "docs", type: "files" },
    { key: "hidden", type: "files" },
  ];
  const rights = ["submissions:read", "submissions:write"];

  it.each([
    ["the credential that attached them", "docs", "owner"],
    ["another credential", "docs", "other"],
    ["a credential whose view shows them", "docs", "view"],
    ["a credential whose view hides them", "hidden", "view"],
  ])("by %s", async (_, field, who) => {
    const views = [{ key: "v", name: "V", fields: ["title", "docs"] }];
    const form = await makeForm(owner, fields, { views });
    const upload = { ...announcement(`form:${form}`, pdf()), field };
    const { id: file } = (await owner.post("/files", upload)).body;
    await putContent(owner, file, pdf());
    const draft = { status: "draft", data: { title: "t", [field]: [file] } };
    const { id } = (await owner.post(`/forms/${form}/submissions`, draft)).body;
    const caller =
      who === "view"
        ? await client({ permissions: rights, resources: [`form:${form}/v`] })
        : who === "other"
          ? await client()
          : owner;
    const submitted = await caller.patch(`/submissions/${id}`, { status: "submitted" });
    expect(submitted.status).toBe(200);
    const { body } = await owner.get(`/submissions/${id}`);
    expect(body).toMatchObject({ status: "submitted", data: { [field]: [{ id: file }] } });
  });
});
