import { describe, expect, it } from "vitest";
import { admin, client, makeForm } from "../support/service";
import { createWebhook, deliverNow, Receiver } from "./receiver";

const fields = [{ key: "n", type: "number" }];
const withDouble = (factor: number) => [
  ...fields,
  { key: "double", label: "Double", type: "computed", formula: `n * ${factor}`, result: "number" },
];

describe("The setting `recalculations` of a webhook", () => {
  it("is true by default, and with false recalculated items send no events", async () => {
    const integrator = await client();
    const form = await makeForm(integrator, withDouble(2));
    const collections = [`form:${form}`];
    const types = ["submission.updated"];
    const [all, quiet] = [new Receiver(), new Receiver()];
    const loud = await createWebhook(integrator, all, { types, collections });
    const silent = await createWebhook(integrator, quiet, {
      types,
      collections,
      recalculations: false,
    });
    expect([loud.recalculations, silent.recalculations]).toEqual([true, false]);
    const path = `/forms/${form}/submissions`;
    const { id } = (await integrator.post(path, { data: { n: 1 } })).body;
    await integrator.put(`/forms/${form}/schema`, { fields: withDouble(3) });
    await expect
      .poll(async () => (await integrator.get(`/submissions/${id}`)).body.data.double)
      .toBe(3);
    await integrator.patch(`/submissions/${id}`, { data: { n: 2 } });
    await deliverNow(loud.id);
    await deliverNow(silent.id);
    expect([all.accepted.length, quiet.accepted.length]).toEqual([2, 1]);
    const off = await integrator.patch(`/webhooks/${loud.id}`, { recalculations: false });
    expect(off.body.recalculations).toBe(false);
    const wrong = await integrator.patch(`/webhooks/${loud.id}`, { recalculations: "no" });
    expect([wrong.status, wrong.body.errors[0].field]).toEqual([422, "recalculations"]);
  });

  it("shows in Review changes: the recalculated items and the webhooks that receive events", async () => {
    const integrator = await client();
    const form = await makeForm(integrator, fields);
    for (const n of [1, 2]) await integrator.post(`/forms/${form}/submissions`, { data: { n } });
    const review = async () => {
      const body = {
        do: "check",
        version: 1,
        known: "n",
        "fields[0].was": "n",
        "fields[0].key": "n",
        "fields[0].label": "n",
        "fields[0].type": "number",
        "fields[0].searchable": "on",
        "fields[1].type": "computed",
        "fields[1].label": "Double",
        "fields[1].formula": "n * 2",
        "fields[1].result": "number",
      };
      const html = { Accept: "text/html" };
      const { text } = await admin("POST", `/forms/${form}/fields`, body, html);
      return text.replaceAll(/<[^>]+>/g, "").replaceAll(/\s+/g, " ");
    };
    expect(await review()).toContain("Webhooks receive no events for recalculated items.");
    const types = ["submission.updated"];
    const collections = [`form:${form}`];
    const { id } = await createWebhook(integrator, new Receiver(), {
      types,
      collections,
      name: "Stock",
    });
    const text = await review();
    expect(text).toContain("Recalculates Double for 2 submissions.");
    expect(text).toContain("Stock receives up to 2 events.");
    const path = `/webhooks/${id}`;
    const page = await admin("GET", `${path}/settings`, undefined, { Accept: "text/html" });
    expect(page.text).toMatch(/name="recalculations" value="true" checked/);
    await admin("POST", path, { version: 1, recalculations: false });
    expect(await review()).toContain("Webhooks receive no events");
  });
});
