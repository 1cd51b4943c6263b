/** The facts in sentences about errors. Scripts of pages also use this file, so it imports nothing. */
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
