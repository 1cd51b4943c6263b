import type { Condition } from "#domain/search/tree.ts";
import type { CollectionAccess, CompiledCollection } from "./compile.ts";

export const wholeCollection = (access: CollectionAccess): CompiledCollection =>
  access.extent === "narrow" ? access.whole : access;

/** Returns the conditions that limit the caller. Empty for a whole collection. */
export const conditionsOf = (access: CollectionAccess): readonly Condition[] =>
  access.extent === "narrow" ? access.conditions : [];
