import { schemaDocument } from "../../documents/definition";
import type { CollectionNow } from "../../store/definitions/collection-now";

/** The definition as programs read it. */
export const documentOf = ({ collection, live, indexing, pending }: CollectionNow) =>
  schemaDocument(collection, live, indexing, pending, Date.now());
