export type Values = Record<string, unknown>;

/** What a collection holds: as it is read, as it is created and as it is changed; and how it is searched. */
export interface Shape {
  data: object;
  create: object;
  change: object;
  condition: object;
}

export interface Untyped extends Shape {
  data: Values;
  create: Values;
  change: Values;
  condition: Condition;
}

export type Condition =
  | { field: string; op: string; value: unknown }
  | { all: Condition[] }
  | { any: Condition[] }
  | { not: Condition };

type Named<S, Name extends string, Otherwise> = S extends { [K in Name]: infer T } ? T : Otherwise;
type DataOf<T, Otherwise> = T extends { data?: infer D } ? NonNullable<D> & object : Otherwise;

/** The shape that `components["schemas"]` of a collection's OpenAPI document gives (openapi-typescript). */
export interface ShapeOf<One extends "Record" | "Submission", S> extends Shape {
  data: Named<S, `${One}Data`, Values> & object;
  create: DataOf<Named<S, `${One}Create`, unknown>, Values>;
  change: DataOf<Named<S, `${One}Change`, unknown>, Values>;
  condition: Named<S, "Condition", Condition> & object;
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
