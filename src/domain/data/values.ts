/** A value as it is stored; an empty one is not stored at all. */
export type Scalar = string | number | boolean;
export type Row = Record<string, Scalar | string[]>;
export type Value = Scalar | string[] | Row[];

/** The data of one item: field id to value. Rows of line items are keyed by the ids of their fields. */
export type Data = Record<string, Value>;
