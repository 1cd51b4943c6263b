import { Hono } from "hono";
import { endOfDay } from "../../domain/zoned-day";
import { isCalendarDay, stamp } from "../../domain/time";
import { problem } from "../../domain/problem/problem";
import type { AdminEnv } from "../../env";
import { query, texts } from "../../http/request/parameters";
import { readAudit } from "../../store/audit/audit-log";
import type { AuditPlace } from "../../store/audit/audit-window";
import { able, answer } from "../frame/answers";
import { frameOf } from "../frame/frame";
import { readerOf } from "../frame/reader-of";
import { AuditPage } from "./audit-page";
import { entryDocument } from "./entry-document";

const perPage = 100;
const day = 24 * 60 * 60 * 1000;

const filters = texts("actor", "action", "subject", "collection", "from", "until", "before");

/** Who did what, when. It is read here, and changed nowhere. */
export const audit = new Hono<AdminEnv>().use(able("audit")).get("/", query(filters), async (c) => {
  const sent = c.req.valid("query");
  // Days are those of the reader; scripts, which have no zone of their own, mean UTC.
  const zone = readerOf(c).zone;
  const filter = {
    actor: sent.actor?.trim(),
    action: sent.action,
    subject: sent.subject?.trim(),
    collection: sent.collection,
    from: endOf("from", sent.from, zone, -1),
    until: endOf("until", sent.until, zone, 0),
  };
  const before = placeOf(sent.before);
  const { entries, next } = await readAudit(c.env.DB, filter, before, perPage);
  const address = new URL(c.req.url);
  if (next !== null) address.searchParams.set("before", `${next.at}.${next.number}`);
  const link = next === null ? null : address.href;
  const document = { items: entries.map(entryDocument), links: { self: c.req.url, next: link } };
  return answer(c, document, () => (
    <AuditPage frame={frameOf(c)} entries={entries} next={link} query={c.req.query()} />
  ));
});

function placeOf(text = ""): AuditPlace | null {
  if (text === "") return null;
  const [, at, number] = /^(\d{1,16})\.(\d{1,16})$/.exec(text) ?? [];
  if (at && number) return { at: Number(at), number: Number(number) };
  const reason = "This is no place in the audit. Follow links.next as it was given.";
  throw problem.invalidInput([{ field: "before", code: "invalid_cursor", reason }]);
}

/** When a day ends in a zone, or the day so many before it. */
function endOf(field: string, text = "", zone: string, days: number): number | undefined {
  if (text === "") return undefined;
  if (!isCalendarDay(text)) {
    const reason = "Must be a calendar day like 2026-11-21.";
    throw problem.invalidInput([{ field, code: "invalid_format", reason }]);
  }
  return endOfDay(stamp(Date.parse(`${text}T00:00:00Z`) + days * day).slice(0, 10), zone);
}
