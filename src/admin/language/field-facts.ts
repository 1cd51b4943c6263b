/** What sentences about errors are made of. The scripts of pages use it, too, so it imports nothing. */
export interface FieldFacts {
  /** The type of the field in its definition. */
  type: string;
  minimum?: number | undefined;
  maximum?: number | undefined;
}

/** A field error of the API. */
export interface ErrorFacts {
  code: string;
  reason: string;
  [detail: string]: unknown;
}
