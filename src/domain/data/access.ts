import type { Condition } from "#domain/search/tree.ts";
import type { CollectionAccess, CompiledCollection } from "./compile.ts";

export const wholeCollection = (access: CollectionAccess): CompiledCollection =>
  access.extent === "narrow" ? access.whole : access;

/** The conditions that limit the caller; none for a whole collection. */
export const conditionsOf = (access: CollectionAccess): readonly Condition[] =>
  access.extent === "narrow" ? access.conditions : [];
