import * as list from "#store/home/list-settings.ts";
import { errorAt } from "#domain/problem/field-errors.ts";
import { problem } from "#domain/problem/problem.ts";
import type { MemberContext } from "./members.ts";
import { reasonFor } from "#domain/problem/reasons.ts";

/** The maximum number of filters of one member over all lists. */
const maxFilters = 50;
/** The maximum number of lists for which a member's choice of columns is kept. */
const maxColumnChoices = 200;
const maxColumnsLength = 20_000;

/** Saves a filter that only the member sees, for a list like `form:purchase`. Returns its ID. */
export async function saveFilter(
  ctx: MemberContext,
  listName: string,
  filter: { name: string; search: string },
): Promise<string> {
  const id = ctx.newId();
  const row = { ...filter, memberId: ctx.member.id, list: listName, id };
  if (await list.storeFilter(ctx.databases.home, row, maxFilters)) return id;
  throw problem.conflict(
    `You have ${maxFilters} saved filters, which is the limit. Delete one to save another.`,
    "too_many_filters",
  );
}

/** Renames a filter or replaces its search. Returns the new filter. */
export async function updateFilter(
  ctx: MemberContext,
  listName: string,
  id: string,
  changes: { name?: string | undefined; search?: string | undefined },
): Promise<list.SavedFilter> {
  const { name = null, search = null } = changes;
  const row = { memberId: ctx.member.id, list: listName, id, name, search };
  const filter = await list.updateFilter(ctx.databases.home, row);
  if (!filter) throw problem.notFound();
  return filter;
}

export async function deleteFilter(
  ctx: MemberContext,
  listName: string,
  id: string,
): Promise<void> {
  const filter = { memberId: ctx.member.id, list: listName, id };
  if (!(await list.deleteFilter(ctx.databases.home, filter))) throw problem.notFound();
}

/** Remembers the columns that a member chose for a list. */
export async function chooseColumns(
  ctx: MemberContext,
  listName: string,
  columns: readonly string[],
): Promise<void> {
  if (JSON.stringify(columns).length > maxColumnsLength) {
    throw problem.invalidInput([errorAt(["columns"], "too_long", reasonFor("chooseFewerColumns"))]);
  }
  const choice = { memberId: ctx.member.id, list: listName, columns, at: ctx.now() };
  await list.storeColumns(ctx.databases.home, choice, maxColumnChoices);
}
