import { describe, expect, expectTypeOf, it } from "vitest";
import { EdgeForms, type Page, type Search } from "../src/index.ts";
import type { ShapeOf } from "../src/types.ts";

/** Types as openapi-typescript generates them, for an app with a text, a number and a computed field. */
interface Schemas {
  OrdersRecordData: { name: string | null; qty: number | null; total: number | null };
  OrdersRecordInput: { name?: string | null; qty?: number | null };
  OrdersRecordChangeInput: { name?: string | null; qty?: number | null };
  OrdersRecordCondition:
    | { field: "name"; op: "eq" | "contains"; value: string }
    | { field: "qty" | "total"; op: "eq" | "gt"; value: number };
  OrdersRecordAggregate: { metrics: Record<string, { op: "count" }> };
  OrdersRecordAggregateGroup: {
    key: { name?: string | null };
    metrics: Record<string, number | string | null>;
  };
  OrdersRecordSortKey: { field: "name" | "qty" | "total"; direction?: "asc" | "desc" };
  OrdersRecord: { included?: Record<string, Customer> };
}
interface Customer {
  app: "customers";
  data: { email: string | null };
}
type Orders = ShapeOf<"Record", Schemas, "orders">;

describe("Types of a collection", () => {
  const orders = new EdgeForms<Schemas>({
    url: "https://forms.example.com",
    token: "efp_x",
  }).records("orders");

  it("rejects computed fields in creates and changes, also in copies of read data", () => {
    expectTypeOf({ name: "a", qty: 1 }).toExtend<Orders["create"]>();
    expectTypeOf<Orders["data"]>().not.toExtend<Orders["create"]>();
    expectTypeOf<Orders["data"]>().not.toExtend<Orders["change"]>();
    type Create = Parameters<typeof orders.create>[0];
    expectTypeOf<Orders["data"]>().not.toExtend<Create>();
    expect("create" in orders).toBe(true);
  });

  it("accepts only the fields and operators of the collection in searches", () => {
    type Accepted = Parameters<typeof orders.search>[0];
    expectTypeOf<Accepted>().toEqualTypeOf<Search<Orders> | undefined>();
    type Condition = NonNullable<Search<Orders>["conditions"]>[number];
    expectTypeOf<{ field: "qty"; op: "gt"; value: number }>().toExtend<Condition>();
    expectTypeOf<{ field: "qty"; op: "contains"; value: string }>().not.toExtend<Condition>();
    expectTypeOf<{ field: "price"; op: "eq"; value: number }>().not.toExtend<Condition>();
    type SortKey = NonNullable<Search<Orders>["sort"]>[number];
    expectTypeOf<{ field: "total"; direction: "desc" }>().toExtend<SortKey>();
    expectTypeOf<{ field: "price" }>().not.toExtend<SortKey>();
    expect("search" in orders).toBe(true);
  });

  it("knows the keys of the groups of aggregates", () => {
    expectTypeOf<Parameters<typeof orders.aggregate>[0]>().toEqualTypeOf<
      Schemas["OrdersRecordAggregate"]
    >();
    type Group = Awaited<ReturnType<typeof orders.aggregate>>["groups"][number];
    expectTypeOf<Group["key"]["name"]>().toEqualTypeOf<string | null | undefined>();
    expect("aggregate" in orders).toBe(true);
  });

  it("knows the records that expand includes, on an item and on a page", () => {
    type Item = Awaited<ReturnType<typeof orders.get>>;
    expectTypeOf<NonNullable<Item["included"]>>().toEqualTypeOf<Record<string, Customer>>();
    expectTypeOf<Page<Item>["included"]>().toEqualTypeOf<Item["included"]>();
    expect("get" in orders).toBe(true);
  });

  it("accepts any data without generated types", () => {
    const untyped = new EdgeForms({ url: "https://forms.example.com", token: "efp_x" });
    type Create = Parameters<ReturnType<typeof untyped.records<"orders">>["create"]>[0];
    expectTypeOf<{ anything: number }>().toExtend<Create>();
    expect("create" in untyped.records("orders")).toBe(true);
  });
});
