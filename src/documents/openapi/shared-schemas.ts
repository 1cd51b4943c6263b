import { calendarDay } from "./schemas/formats";
import { problemSchemas } from "./schemas/problem-schemas";
import { list, oneOfTexts, open, ref, text, uri, type Schema } from "./schemas/schema";

/** Who did something, as `GET /me` tells a credential of itself. */
export const actor: Schema = {
  type: "string",
  pattern: "^(credential:.+|member:.+|system)$",
  description: "`credential:ID`, `member:ID`, or `system` for a recalculation.",
};

/** A page of a list of what has this schema. */
export function pageSchema(name: string): Schema {
  return open({ items: list(ref("schemas", name)), links: ref("schemas", "PageLinks") });
}

/** What documents have, whatever they are about. */
export function sharedSchemas(): Schema {
  return {
    Warning: open({
      field: text,
      code: oneOfTexts(["computed_value_ignored", "formula_failed"]),
    }),
    PageLinks: open({ self: uri, next: { ...uri, type: ["string", "null"] } }),
    FeedLinks: open({ self: uri, next: uri }),
    CalendarDay: calendarDay,
    ...problemSchemas(),
  };
}
