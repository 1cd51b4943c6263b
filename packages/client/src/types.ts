export type Values = Record<string, unknown>;

/** What a collection holds: as it is read, created, drafted and changed; and how it is searched. */
export interface Shape {
  data: object;
  create: object;
  draft: object;
  change: object;
  condition: object;
}

export interface Untyped extends Shape {
  data: Values;
  create: Values;
  draft: Values;
  change: Values;
  condition: Condition;
}

export type Condition =
  | { field: string; op: string; value: unknown }
  | { all: Condition[] }
  | { any: Condition[] }
  | { not: Condition };

type Named<S, Name extends string, Otherwise> =
  S extends Record<Name, infer T extends object> ? T : Otherwise;

/** Of a key in names of schemas: `purchase-orders` is `PurchaseOrders`, `unit_price` is `Unit_price`. */
type KeyName<K extends string> = Capitalize<Joined<K>>;
type Joined<K extends string> = K extends `${infer First}-${infer Rest}`
  ? Capitalize<Rest> extends Rest
    ? `${First}-${Joined<Rest>}`
    : `${First}${Joined<Capitalize<Rest>>}`
  : K;

/** The shape that `components["schemas"]` of an OpenAPI document has for the app or form with a key. */
export type ShapeOf<One extends "Record" | "Submission", S, Key extends string> = ShapeNamed<
  S,
  `${KeyName<Key>}${One}`
>;

interface ShapeNamed<S, Name extends string> extends Shape {
  data: Named<S, `${Name}Data`, Values>;
  create: Named<S, `${Name}Input`, Values>;
  draft: Named<S, `${Name}DraftInput`, Values>;
  change: Named<S, `${Name}ChangeInput`, Values>;
  condition: Named<S, `${Name}Condition`, Condition>;
}

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
  /** What was sent and ignored; in answers to writes. */
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
  sort?: { field: string; direction?: "asc" | "desc" }[];
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
  /** As it is now; absent when it is gone. */
  item?: I;
}

/** What is written: `data`, and for submissions `status`. */
export interface Content<D> {
  data: D;
  status?: Status;
}

export type Operation<T extends Shape = Untyped> =
  | ({ op: "create" } & Content<T["create"]>)
  | ({ op: "update"; id: string; if_match?: string } & Partial<Content<T["change"]>>)
  | ({ op: "upsert"; by: string } & Content<T["change"]>)
  | { op: "delete"; id: string; if_match?: string };

/** What became of an operation. */
export interface Written<I> {
  op: Operation["op"];
  outcome: "created" | "updated" | "unchanged" | "deleted";
  id: string;
  receipt_number?: string;
  etag: string;
  warnings?: Warning[];
  /** As it is now, where it was asked for and the credential may read it. */
  item?: I;
}

export interface CallOptions {
  /** Ends the call with the signal's reason. What was sent before may have been carried out. */
  signal?: AbortSignal | undefined;
}

export interface WriteOptions extends CallOptions {
  /**
   * The Idempotency-Key, up to 200 visible ASCII characters: the same one within 24 hours writes once, in another run
   * of the program too. Each call has a key of its own where none is given.
   */
  key?: string | undefined;
}
