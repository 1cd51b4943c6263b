import { beforeAll, describe, expect, it } from "vitest";
import { visibleLabels } from "#actions/operand-names.ts";
import type { Permission } from "#domain/credential/permissions.ts";
import type { Client, Json } from "../support/client";
import { host } from "../support/client";
import { counted } from "../support/counting";
import { databases } from "../support/databases";
import { as, newMember } from "../support/members";
import { admin, client, freshKey, issue, makeApp, makeForm, ownerCookie } from "../support/service";
import { createWebhook, Receiver } from "../webhooks/receiver";

const html = { Accept: "text/html" };
const show = async (path: string, headers: object = {}) =>
  (await admin("GET", path, undefined, { ...html, ...headers })).text;

let owner: Client;
let visits: string;
let partner: Json;
let hook: Json;
let member: Awaited<ReturnType<typeof newMember>>;
const records: Json = {};

const conditions = () => [
  { field: "customer", op: "in", value: [records.yamada, records.untitled] },
  { field: "lines", op: "any", value: [{ field: "payer", op: "eq", value: records.yamada }] },
  { field: "note", op: "ne", value: records.yamada },
  { field: "$created_by", op: "in", value: [`credential:${partner.id}`, `member:${member.id}`] },
];

const items = (creators: string) =>
  `Only submissions whose Customer is “Yamada” or “CUS-000002”
    and Lines has a row whose Payer is “Yamada”
    and Note is not “${records.yamada}” and creator is ${creators}`.replaceAll(/\s+/g, " ");
const sentence = () => `${items(`“The partner” or “${member.email}”`)}, all fields`;
const japanese = () =>
  `Customer が「Yamada」または「CUS-000002」で、Lines に、Payer が「Yamada」の行がある、かつ Note が「${records.yamada}」でない、かつ作成者が「The partner」または「${member.email}」の回答のみ`;

beforeAll(async () => {
  owner = await client();
  member = await newMember("editor");
  const customers = await makeApp(owner, [{ key: "name", type: "text" }], {
    title_field: "name",
    receipt_prefix: "CUS-",
  });
  const create = async (data: object) =>
    (await owner.post(`/apps/${customers}/records`, { data })).body.id;
  records.yamada = await create({ name: "Yamada" });
  records.untitled = await create({});
  const reference = { type: "reference", app: customers };
  const fields = [
    { key: "customer", label: "Customer", ...reference },
    {
      key: "lines",
      label: "Lines",
      type: "line_items",
      fields: [{ key: "payer", label: "Payer", ...reference }],
    },
    { key: "note", label: "Note", type: "text" },
  ];
  visits = await makeForm(owner, fields, {
    name: "Visits",
    views: [{ key: "part", name: "Part" }],
  });
  const narrow = { permissions: ["submissions:read"], resources: [`form:${visits}`] };
  partner = await issue({ ...narrow, name: "The partner" });
  const views = [{ key: "part", name: "Part", conditions: conditions() }];
  await owner.patch(`/forms/${visits}/schema`, { views });
  const resources = [`form:${visits}/part`];
  const { version } = (await admin("GET", `/integrations/${partner.id}/access`)).body;
  const edit = { version, name: "The partner", permissions: ["submissions:read"], resources };
  await admin("POST", `/integrations/${partner.id}`, edit);
  hook = await createWebhook(owner, new Receiver(), { collections: resources });
});

const findPart = (labels: readonly Json[]) =>
  labels.find(({ key }) => key === visits)?.views[0].shows;

describe("The description of a view names records by their titles or receipt numbers, and creators by their names", () => {
  it("on the pages of a credential", async () => {
    const path = `/integrations/${partner.id}`;
    const lead = sentence()
      .replace("Only submissions", "Can read the submissions of Visits")
      .replace(", all fields", " (view “Part”).");
    for (const page of [path, `${path}/access`, `${path}/secrets`])
      expect([page, await show(page)]).toEqual([page, expect.stringContaining(lead)]);
    expect(await show(`${path}/access`)).toContain(sentence());
    const pageInJapanese = await show(`${path}/access`, { "Accept-Language": "ja" });
    expect(pageInJapanese).toContain(japanese());
  });

  it("for new credentials and webhooks", async () => {
    const { access_to: choices } = (await admin("GET", "/integrations/new")).body;
    expect(findPart(choices)).toBe(sentence());
    const { listens_to: choicesOfWebhooks } = (await admin("GET", "/webhooks/new")).body;
    expect(findPart(choicesOfWebhooks)).toBe(sentence());
    expect(await show(`/webhooks/${hook.id}/settings`)).toContain(sentence());
  });

  it("on the page “Access” of a form", async () => {
    const { body } = await admin("GET", `/forms/${visits}/access`);
    expect(body.credentials.map(({ sees }: Json) => sees)).toContain(sentence());
    expect(body.webhooks.map(({ sees }: Json) => sees)).toEqual([sentence()]);
    const page = await show(`/forms/${visits}/access`);
    expect(page.split(sentence().replace(", all fields", "")).length).toBe(3);
  });

  it("in the changes of a definition", async () => {
    const page = await show(`/forms/${visits}/changes/2`);
    expect(page).toContain(sentence().replace(", all fields", ""));
  });

  it("before a view changes", async () => {
    const search = new URLSearchParams({ "f.customer.eq": records.untitled }).toString();
    const path = `/forms/${visits}/items/views/part`;
    const { text } = await admin("POST", path, { name: "Part", search }, html);
    expect(text).toContain(sentence());
    expect(text).toContain("Only submissions whose Customer is “CUS-000002”, all fields");
  });

  it("as far as the reader may see them", async () => {
    const { body } = await as(member.cookie)("GET", "/integrations/new");
    const creators = `“credential:${partner.id}” or “${member.email}”`;
    expect(findPart(body.access_to)).toBe(`${items(creators)}, all fields`);
    const viewer = await newMember("viewer");
    const { body: seen } = await as(viewer.cookie)("GET", "/integrations/new");
    const hidden = `“credential:${partner.id}” or “member:${member.id}”`;
    expect(findPart(seen.access_to)).toBe(`${items(hidden)}, all fields`);
  });

  it("as far as the reader may read their app", () => {
    const untitled = { receiptNumber: "A-1", title: null };
    const titles = [
      { id: "rec_1", app: "open", ...untitled },
      { id: "rec_2", app: "secret", ...untitled },
    ];
    const versions = { id: 1, version: 1 };
    const label = {
      ...versions,
      kind: "form",
      key: "visits",
      name: "Visits",
      views: [],
      omits: "nothing",
      fields: [],
    } as const;
    const reader = { resources: ["app:open"], member: { id: "1", role: "viewer" as const } };
    const namesFor = (permissions: Permission[]) =>
      visibleLabels(
        { ...reader, permissions },
        { labels: [label], records: titles, actorNames: new Map() },
      ).map(({ names }) => [...names]);
    expect(namesFor(["records:read"])).toEqual([[["rec_1", "A-1"]]]);
    expect(namesFor(["records:create"])).toEqual([[]]);
  });

  it("in one D1 call after that of the session", async () => {
    const { fetch, counts, reset } = counted();
    const headers = { Cookie: await ownerCookie(), Accept: "text/html" };
    // With a data database, a read of the credential, of each database, and of the names in the home database.
    for (const [path, calls] of [
      [`/integrations/${partner.id}/access`, 5],
      ["/webhooks/new", 4],
    ] as const) {
      reset();
      const response = await fetch(new Request(`${host}/admin${path}`, { headers }));
      expect([path, response.status, await response.text()]).toEqual([
        path,
        200,
        expect.stringContaining(sentence()),
      ]);
      expect([path, counts.d1]).toEqual([path, databases.singleDatabase ? 2 : calls]);
    }
  });

  it("or by their IDs if they are gone", async () => {
    const form = await makeForm(owner, [{ key: "note", label: "Note", type: "text" }], {
      views: [
        {
          key: "part",
          name: freshKey("view"),
          conditions: [{ field: "$updated_by", op: "eq", value: "member:gone" }],
        },
      ],
    });
    const { access_to: choices } = (await admin("GET", "/integrations/new")).body;
    const { views } = choices.find(({ key }: Json) => key === form);
    expect(views[0].shows).toBe("Only submissions whose last editor is “member:gone”, all fields");
  });
});
