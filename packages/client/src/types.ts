export type Values = Record<string, unknown>;

/**
 * The types of a collection: its data when read, created, drafted and changed, its search conditions and sort keys, and
 * the records that its items refer to.
 */
export interface Shape {
  data: object;
  create: object;
  draft: object;
  change: object;
  condition: object;
  sort: object;
  aggregate: object;
  group: AggregateGroup;
  included: object;
}

export interface Untyped extends Shape {
  data: Values;
  create: Values;
  draft: Values;
  change: Values;
  condition: Condition;
  sort: SortKey;
  aggregate: Aggregate;
  group: AggregateGroup;
  included: RecordItem;
}

export interface SortKey {
  field: string;
  direction?: "asc" | "desc";
}

export type Condition =
  | { field: string; op: string; value: unknown }
  | { all: Condition[] }
  | { any: Condition[] }
  | { not: Condition };

/** A request for figures over the items that meet conditions. */
export interface Aggregate {
  conditions?: Condition[];
  group_by?: { field: string; unit?: AggregateUnit; time_zone?: string }[];
  metrics: Record<string, { op: AggregateOp; field?: string }>;
  order_by?: { metric: string; direction?: "asc" | "desc" }[];
  limit?: number;
}

export type AggregateUnit = "day" | "week" | "month" | "quarter" | "year";
export type AggregateOp = "count" | "count_distinct" | "sum" | "avg" | "min" | "max";

export interface AggregateGroup {
  key: object;
  metrics: Record<string, number | string | null>;
}

export interface Aggregates<T extends Shape = Untyped> {
  groups: T["group"][];
  /** Whether more groups exist. */
  truncated: boolean;
}

type Named<S, Name extends string, Otherwise> =
  S extends Record<Name, infer T extends object> ? T : Otherwise;

/** Converts a key as schema names do: `purchase-orders` to `PurchaseOrders`, `unit_price` to `Unit_price`. */
type KeyName<K extends string> = Capitalize<Joined<K>>;
type Joined<K extends string> = K extends `${infer Head}-${infer Tail}`
  ? Capitalize<Tail> extends Tail
    ? `${Head}-${Joined<Tail>}`
    : `${Head}${Joined<Capitalize<Tail>>}`
  : K;

/** The shape of the app or form with this key in `components["schemas"]` of an OpenAPI document. */
export type ShapeOf<Kind extends "Record" | "Submission", S, Key extends string> = ShapeNamed<
  S,
  `${KeyName<Key>}${Kind}`
>;

interface ShapeNamed<S, Name extends string> extends Shape {
  data: Named<S, `${Name}Data`, Values>;
  create: Writable<Named<S, `${Name}Input`, Values>, this["data"]>;
  draft: Writable<Named<S, `${Name}DraftInput`, Values>, this["data"]>;
  change: Writable<Named<S, `${Name}ChangeInput`, Values>, this["data"]>;
  condition: Named<S, `${Name}Condition`, Condition>;
  sort: Named<S, `${Name}SortKey`, SortKey>;
  aggregate: Named<S, `${Name}Aggregate`, Aggregate>;
  group: Named<S, `${Name}AggregateGroup`, AggregateGroup> & AggregateGroup;
  included: IncludedIn<Named<S, Name, Values>>;
}

/** The type of the records that come with an item, or any record if the item's type does not name it. */
export type IncludedIn<I> = I extends { included?: infer Records }
  ? // An item type with an index signature names no records either.
    unknown extends Records
    ? RecordItem
    : NonNullable<Records> extends Record<string, infer R extends object>
      ? R
      : RecordItem
  : RecordItem;

/** Excludes the fields that only the service sets, which are computed, from copies of read data as well. */
type Writable<Input extends object, Data extends object> = Input & {
  [Key in Exclude<keyof Data, keyof Input>]?: never;
};

export type Status = "draft" | "submitted" | "closed";

export interface Warning {
  field: string;
  code: string;
}

interface Item<T extends Shape> {
  id: string;
  version: number;
  etag: string;
  created_at: string;
  created_by: string;
  updated_at: string;
  updated_by: string;
  data: T["data"];
  /** With `expand`, the records that the item refers to, by ID. */
  included?: Record<string, T["included"]>;
  /** Values that the service ignored. Only responses to writes have this member. */
  warnings?: Warning[];
}

export interface RecordItem<T extends Shape = Untyped> extends Item<T> {
  app: string;
  receipt_number: string;
}

export interface SubmissionItem<T extends Shape = Untyped> extends Item<T> {
  form: string;
  status: Status;
}

export interface Search<T extends Shape = Untyped> {
  conditions?: T["condition"][];
  sort?: T["sort"][];
  /** Items per page, as in the body of the API. The options of a walk have precedence. */
  limit?: number;
  cursor?: string | null;
}

export interface Change<I> {
  id: string;
  type: "created" | "updated" | "deleted";
  version: number;
  etag: string;
  at: string;
  by: string;
  /** Keys of the fields that changed. */
  fields: string[];
  /** The current item. Absent if the item was deleted. */
  item?: I;
}

/** The written members: `data`, and `status` for submissions. */
export interface Content<D> {
  data: D;
  status?: Status;
}

export type Operation<T extends Shape = Untyped> =
  | ({ op: "create" } & Content<T["create"]>)
  | ({ op: "update"; id: string; if_match?: string } & Partial<Content<T["change"]>>)
  | ({ op: "upsert"; by: string } & Content<T["change"]>)
  | { op: "delete"; id: string; if_match?: string };

/** The result of an operation. */
export interface Written<I> {
  op: Operation["op"];
  outcome: "created" | "updated" | "unchanged" | "deleted";
  id: string;
  receipt_number?: string;
  etag: string;
  warnings?: Warning[];
  /** The current item, if requested and if the credential may read it. */
  item?: I;
}

export interface CallOptions {
  /** Aborts the call with the signal's reason. The service may have carried out requests that were already sent. */
  signal?: AbortSignal | undefined;
}

export interface ExpandOptions {
  /** The keys of references, like `customer` or `lines.product`. `included` then contains their records. At most 5. */
  expand?: readonly string[] | undefined;
}

export interface WriteOptions extends CallOptions {
  /**
   * The Idempotency-Key, up to 200 visible ASCII characters. Calls with the same key within 24 hours write once, even
   * in another run of the program. By default each call creates its own key.
   */
  key?: string | undefined;
}
