import { beforeAll, describe, expect, it } from "vitest";
import { findCollection } from "../../src/store/data/collections.ts";
import type { Client } from "../support/client";
import { dataDb, dataHandle } from "../support/databases";
import { admin, client, makeForm } from "../support/service";

const options = Array.from({ length: 12 }, (_, index) => ({
  value: `v${index}`,
  label: `Option <${index}>`,
}));
const fields = [
  { key: "team", label: "Team", type: "select", options },
  { key: "kind", label: "Kind", type: "select", options },
  { key: "amount", label: "Amount", type: "number", decimals: 2 },
  { key: "weight", label: "Weight", type: "number" },
];
const acceptHtml = { Accept: "text/html" };

describe("The summary of an app or form", () => {
  let integrator: Client;
  let form: string;
  beforeAll(async () => {
    integrator = await client();
    form = await makeForm(integrator, fields, { time_zone: "Asia/Tokyo" });
    const operations = Array.from({ length: 24 }, (_, index) => ({
      op: "create",
      data: { team: `v${index % 12}`, amount: 0.1, ...(index < 3 ? { kind: "v0" } : {}) },
      status: index % 3 === 0 ? "draft" : "submitted",
    }));
    const path = `/forms/${form}/submissions`;
    const { status, text } = await integrator.post(`${path}/batch`, { operations });
    if (status !== 200) throw new Error(text);
    const current = await findCollection(dataHandle, "form", form);
    // The first ones were created on 1 January in Tokyo, the others a month later.
    await dataDb
      .prepare(
        `update item set created_at = ?1 + iif(number % 4294967296 > 4, 31 * 86400000, 0) + number % 4294967296
          where collection_id = ?2`,
      )
      .bind(Date.parse("2025-12-31T15:00:00Z"), current?.collection.id ?? 0)
      .run();
  });

  const summary = async (query: string, headers = {}) =>
    admin("GET", `/forms/${form}/summary${query}`, undefined, headers);

  it("counts items by month in the zone of the form, with zero for empty months", async () => {
    const { body } = await summary("?from=2025-12&to=2026-03");
    expect(body.figures.months).toEqual([
      { month: "2025-12", items: 0 },
      { month: "2026-01", items: 4 },
      { month: "2026-02", items: 20 },
      { month: "2026-03", items: 0 },
    ]);
  });

  it.each(["?from=0000-01&to=0000-02", "?to=0999-12", "?from=9999-12&to=9999-12"])(
    "names the month, not a condition, when %s is out of reach",
    async (query) => {
      const { status, body } = await summary(query);
      expect([status, body.errors[0].reason]).toEqual([422, "Must be a month like 2026-11."]);
    },
  );

  it("draws the chart and lists its figures also if only one month has items", async () => {
    for (const query of ["?from=2026-01&to=2026-01", "?from=2025-12&to=2026-01"]) {
      const { text } = await summary(query, acceptHtml);
      expect(text).toContain("Submissions by month · 4 submissions");
      expect(text).toContain("<title>Jan 2026: 4</title>");
      expect(text).toContain("Figures by month");
    }
  });

  it("says in a sentence what a table of one value would show", async () => {
    const { text } = await summary("?from=2026-02&to=2026-02", acceptHtml);
    expect(text).toContain("20 submissions, none with a value.");
  });

  it("breaks items down by status and by each select field, and adds numbers exactly", async () => {
    const { body } = await summary("?from=2026-01&to=2026-02");
    const { breakdowns, sums, total } = body.figures;
    expect(total).toBe(24);
    expect(breakdowns[0]).toEqual({
      field: "$status",
      values: [
        { value: "submitted", items: 16 },
        { value: "draft", items: 8 },
      ],
      others: 0,
    });
    expect([breakdowns[1].values.length, breakdowns[1].others]).toEqual([8, 8]);
    expect(breakdowns[2].values).toEqual([
      { value: null, items: 21 },
      { value: "v0", items: 3 },
    ]);
    expect(sums).toEqual([
      { field: "amount", sum: 2.4 },
      { field: "weight", sum: null },
    ]);
  });

  it("shows the last 12 months by default, on a page of at most 30 KB", async () => {
    expect((await summary("")).body.figures.months).toHaveLength(12);
    const { status, text } = await summary("?from=2024-01&to=2026-12", acceptHtml);
    expect([status, text.includes("<svg"), text.includes("Option &lt;0&gt;")]).toEqual([
      200,
      true,
      true,
    ]);
    expect(text.length).toBeLessThan(30_000);
  });

  it("shows every select and number field over its pages, each of at most 30 KB", async () => {
    const longLabel = (index: number) => `${index} ${"項目 & ".repeat(30)}`.slice(0, 200);
    const longOptions = Array.from({ length: 12 }, (_, index) => ({
      value: `v${index}`,
      label: longLabel(index),
    }));
    const many = [
      ...Array.from({ length: 14 }, (_, index) => ({
        key: `s${index}`,
        label: longLabel(index),
        type: "select",
        options: longOptions,
      })),
      ...Array.from({ length: 23 }, (_, index) => ({
        key: `n${index}`,
        label: longLabel(index),
        type: "number",
      })),
    ];
    const wide = await makeForm(integrator, many);
    const operations = Array.from({ length: 12 }, (_, index) => ({
      op: "create",
      data: Object.fromEntries(
        many.map(({ key, type }) => [key, type === "select" ? `v${index}` : index]),
      ),
    }));
    await integrator.post(`/forms/${wide}/submissions/batch`, { operations });
    const shown = { breakdowns: new Set<string>(), sums: new Set<string>() };
    for (const number of [1, 2, 3]) {
      const path = `/forms/${wide}/summary?page=${number}`;
      const { body } = await admin("GET", path);
      expect([body.page, body.pages, body.figures.total]).toEqual([number, 3, 12]);
      for (const { field } of body.figures.breakdowns) shown.breakdowns.add(field);
      for (const { field, sum } of body.figures.sums) {
        shown.sums.add(field);
        expect(sum).toBe(66);
      }
      const { text } = await admin("GET", path, undefined, acceptHtml);
      expect(new TextEncoder().encode(text).length).toBeLessThan(30_000);
      expect(text.includes(`page=${number + 1}`)).toBe(number < 3);
    }
    expect([shown.breakdowns.size, shown.sums.size]).toEqual([15, 23]);
    expect(shown.breakdowns).toContain("$status");
  });

  it("shows sums with all their digits", async () => {
    const exact = await makeForm(integrator, [{ key: "amount", label: "Amount", type: "number" }]);
    for (const amount of [2 ** 53 - 1, 0.25])
      await integrator.post(`/forms/${exact}/submissions`, { data: { amount } });
    const path = `/forms/${exact}/summary`;
    expect((await admin("GET", path)).text).toContain('"sum":9007199254740991.25');
    expect((await admin("GET", path, undefined, acceptHtml)).text).toContain(
      "9,007,199,254,740,991.25",
    );
  });

  it("rejects periods that are malformed, empty or longer than 36 months", async () => {
    for (const query of ["?from=2026", "?from=2026-02&to=2026-01", "?from=2023-01&to=2026-01"])
      expect((await summary(query)).status).toBe(422);
  });

  it("shows a rejected period beside its inputs, on the page", async () => {
    const { status, text } = await summary("?from=2023-01&to=2026-01", acceptHtml);
    expect(status).toBe(422);
    expect(text).toMatch(/id="f-from-wrong">Choose at most 36 months\./);
    expect(text).toMatch(/name="from"[^>]* value="2023-01"/);
    expect(text).toContain('href="/admin/members"');
    const japanese = { ...acceptHtml, "Accept-Language": "ja" };
    expect((await summary("?from=2026", japanese)).text).toContain(
      "年月を入力してください。例：2026-11",
    );
  });

  it("draws each month of the shown period, also the empty ones before the first item", async () => {
    const recent = await makeForm(integrator, fields);
    await integrator.post(`/forms/${recent}/submissions`, { data: { amount: 1 } });
    const { text } = await admin("GET", `/forms/${recent}/summary`, undefined, acceptHtml);
    const rows = /Figures by month[\s\S]*?<\/table>/.exec(text)?.[0].split("<tr>") ?? [];
    // Twelve rows of months, after the head.
    expect(rows).toHaveLength(14);
    // The bar has its value.
    expect(text).toMatch(/<title>[^<]*: 1<\/title><rect [^>]*><\/rect><text [^>]*>1<\/text>/);
  });

  it("marks the button of the shown period, and names the date and the zone of its months", async () => {
    const currentNames = async (query: string) => {
      const { text } = await summary(query, acceptHtml);
      return [...text.matchAll(/<a class="button quiet"[^>]* aria-current="page">([^<]*)/g)].map(
        ([, name]) => name,
      );
    };
    expect(await currentNames("")).toEqual(["12 months"]);
    expect(await currentNames("?from=2026-01&to=2026-02")).toEqual([]);
    expect((await summary("", acceptHtml)).text).toContain(
      "Counts submissions by creation date. Months are those of Asia/Tokyo.",
    );
  });

  it("offers a shorter period when the period has too many items", async () => {
    const current = await findCollection(dataHandle, "form", form);
    const setSize = async (live: number, largest: number) =>
      dataDb
        .prepare("update tally set live = ?1, largest = ?2 where collection_id = ?3")
        .bind(live, largest, current?.collection.id ?? 0)
        .run();
    const count = await dataDb
      .prepare("select live, largest from tally where collection_id = ?1")
      .bind(current?.collection.id ?? 0)
      .first<{ live: number; largest: number }>();
    const huge = `{"x":"${"x".repeat(1_900_000)}"}`;
    await dataDb
      .prepare("update item set data = ?1 where collection_id = ?2")
      .bind(huge, current?.collection.id ?? 0)
      .run();
    const copies = `with recursive n(p) as (select 1 union all select p + 1 from n where p < 90)
      insert into item select i.number + 1000 + p, i.id || p, i.collection_id, null, i.status, 1, 1, i.created_at, i.created_by,
        i.updated_at, i.updated_by, i.data, null from n, (select * from item where collection_id = ?1 limit 1) i`;
    await dataDb
      .prepare(copies)
      .bind(current?.collection.id ?? 0)
      .run();
    await setSize(114, 1_900_000);
    const { status, text } = await summary("?from=2025-12&to=2026-03", acceptHtml);
    expect([status, text.includes("too many submissions to summarize")]).toEqual([200, true]);
    expect(text).toContain('<a href="?from=2026-02&amp;to=2026-03">Show Feb 2026 to Mar 2026</a>');
    const month = (await summary("?from=2026-01&to=2026-01", acceptHtml)).text;
    expect(month).toContain("To summarize a part of it, use the API’s aggregates with conditions.");
    await setSize(count?.live ?? 0, count?.largest ?? 0);
  });
});
