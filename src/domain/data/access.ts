import type { Condition } from "#domain/search/tree.ts";
import type { CollectionAccess, CompiledCollection, NarrowCollection } from "./compile.ts";

export const wholeCollection = (access: CollectionAccess): CompiledCollection =>
  access.extent === "narrow" ? access.whole : access;

/** Returns the view that limits the caller. Null for a whole collection. */
export const viewOf = (access: CollectionAccess): NarrowCollection | null =>
  access.extent === "narrow" ? access : null;

/** Returns the conditions that limit the caller. Empty for a whole collection. */
export const conditionsOf = (access: CollectionAccess): readonly Condition[] =>
  access.extent === "narrow" ? access.conditions : [];
