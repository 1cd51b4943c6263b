import { sql, type Column, type SQL } from "drizzle-orm";

/** Whose turn it is: the collection behind this one, or the first again, but none of those that stand aside. */
export interface Turn {
  after: number;
  aside: readonly number[];
}

export const firstTurn: Turn = { after: 0, aside: [] };

export function inTurn(column: Column, { after, aside }: Turn): { where: SQL; order: SQL } {
  return {
    where: sql`${column} not in (select value from json_each(${JSON.stringify(aside)}))`,
    order: sql`${column} <= ${after}, ${column}`,
  };
}
