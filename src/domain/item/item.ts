import type { Actor } from "../actor";
import type { Data } from "../data/values";
import type { Status } from "./status";

/** A record or a submission as it is stored. */
export interface Item {
  /** The collection's id and the place within it, in one integer; items are stored and listed in this order. */
  number: number;
  id: string;
  collectionId: number;
  /** Records only. */
  receiptNumber: string | null;
  /** Submissions only. */
  status: Status | null;
  version: number;
  /** The version of the definition that the data was last written under. */
  definitionVersion: number;
  /** Milliseconds since 1970. */
  createdAt: number;
  createdBy: Actor;
  updatedAt: number;
  updatedBy: Actor;
  data: Data;
  /** The number of its last change; null where it has changed before changes were kept. */
  lastChange: number | null;
}

/** Room for 4 billion items in each collection; the product stays below 2^53 for 2 million collections. */
export const placesPerCollection = 2 ** 32;

/** The numbers of a collection's items lie strictly between these two. */
export function numbersOf(collectionId: number): { above: number; below: number } {
  const above = collectionId * placesPerCollection;
  return { above, below: above + placesPerCollection };
}
