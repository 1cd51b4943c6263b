import { beforeAll, describe, expect, it } from "vitest";
import { bytesOf, type Client, type Json } from "../support/client";
import { dataDb } from "../support/databases";
import { client, freshKey, makeApp } from "../support/service";

const times = <T>(count: number, run: (index: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, index) => run(index)));

let owner: Client;
let customers: string;
beforeAll(async () => {
  owner = await client();
  customers = await makeApp(owner, [{ key: "email", type: "email", unique: true }]);
});

const createCustomer = async (data: object = {}): Promise<Json> =>
  (await owner.post(`/apps/${customers}/records`, { data })).body;
const erase = (id: string) => dataDb.prepare("delete from item where id = ?").bind(id).run();
const makeOrders = (more: object = {}) =>
  makeApp(owner, [{ key: "customer", type: "reference", app: customers, ...more }]);

describe("Writes of references", () => {
  it("never store one whose record was erased before them", async () => {
    const orders = await makeOrders();
    const path = `/apps/${orders}/records`;
    const { body: target } = await owner.post(path, { data: {} });
    for (let turn = 0; turn < 5; turn += 1) {
      const { id } = await createCustomer();
      const data = { customer: id };
      const [answers] = await Promise.all([
        times(6, (index) => {
          if (index % 3 === 0) return owner.post(path, { data });
          if (index % 3 === 1) return owner.patch(`${path}/${target.id}`, { data });
          return owner.post(`${path}/batch`, { operations: [{ op: "create", data }] });
        }),
        erase(id),
      ]);
      for (const { status, body } of answers) {
        expect([200, 201, 422]).toContain(status);
        if (status === 422) expect(body.errors[0].code).toBe("unknown_reference");
      }
      const late = await owner.post(path, { data });
      expect(late.status).toBe(422);
    }
  });

  it("store one item for each value of a unique reference, by any name", async () => {
    const orders = await makeOrders({ unique: true });
    const customer = await createCustomer({ email: "once@example.com" });
    const names = [customer.id, customer.receipt_number, { email: "once@example.com" }];
    const answers = await times(9, (index) =>
      owner.post(`/apps/${orders}/records`, { data: { customer: names[index % 3] } }),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(8);
  });

  it("happen once for each Idempotency-Key, also when the record is erased in between", async () => {
    const orders = await makeOrders();
    const { id } = await createCustomer();
    const key = { "Idempotency-Key": freshKey("refs") };
    const send = () => owner.post(`/apps/${orders}/records`, { data: { customer: id } }, key);
    const answers = await Promise.all([send(), send(), send()]);
    await erase(id);
    const replay = await send();
    expect(new Set([...answers, replay].map(bytesOf)).size).toBe(1);
    expect(replay.status).toBe(201);
  });

  it("follow a definition that changes its app at the same time", async () => {
    const orders = await makeOrders();
    const others = await makeApp(owner);
    const { id } = await createCustomer();
    const fields = [{ key: "customer", type: "reference", app: others }];
    const [changed, ...answers] = await Promise.all([
      owner.put(`/apps/${orders}/schema`, { fields }),
      ...Array.from({ length: 8 }, () =>
        owner.post(`/apps/${orders}/records`, { data: { customer: id } }),
      ),
    ]);
    const stored = answers.filter(({ status }) => status === 201).length;
    expect(changed.status).toBe(stored > 0 ? 409 : 200);
    for (const { status } of answers) expect([201, 422]).toContain(status);
  });
});

describe("Definitions", () => {
  it("that refer to each other are created at once, where each app exists", async () => {
    const [a, b] = [await makeApp(owner), await makeApp(owner)];
    const fields = (app: string) => ({
      fields: [
        { key: "title", type: "text" },
        { key: "other", type: "reference", app },
      ],
    });
    const answers = await Promise.all([
      owner.put(`/apps/${a}/schema`, fields(b)),
      owner.put(`/apps/${b}/schema`, fields(a)),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  });
});
