import { keyOf } from "../opened";
import type { Context } from "hono";
import type { AdminEnv } from "../../../env";
import { csvLine } from "../../../documents/csv";
import type { Import } from "./file";
import { type refusedRows, told } from "./outcomes";

type C = Context<AdminEnv>;

export type RefusedRows = ReturnType<typeof refusedRows>;

const byteOrderMark = "\uFEFF";

/** The refused rows as they were sent, with where and why: mended, they can be imported by themselves. */
export function downloadRefused(c: C, { csv }: Import, refused: RefusedRows): Response {
  const lines = refused.map(({ row, faults }) =>
    csvLine([...row.cells, String(row.line), faults.map(told).join(" ")], csv.delimiter),
  );
  // Divided as the file was: that says how its numbers are written.
  const header = csvLine([...csv.header, "Line", "Why"], csv.delimiter);
  return c.body(byteOrderMark + header + lines.join(""), 200, {
    "Content-Type": "text/csv; charset=utf-8; header=present",
    "Content-Disposition": `attachment; filename="${keyOf(c)}-refused.csv"`,
  });
}
