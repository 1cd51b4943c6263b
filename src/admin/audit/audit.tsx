import { Empty, Id, Next, Table } from "#html/parts.tsx";
import { Time } from "#html/viewer.tsx";
import { type AuditEntry, readAudit, type AuditPlace } from "#store/home/audit-log.ts";
import { type Frame, AdminPage, frameOf } from "#admin/layout.tsx";
import { Sentence, Filters } from "./entries.tsx";
import { stamp, endOfDay, isCalendarDay } from "#domain/time.ts";
import { Hono } from "hono";
import { problem } from "#domain/problem/problem.ts";
import type { AdminEnv } from "#http/env.ts";
import { query, texts } from "#http/query.ts";
import { able, answer } from "#admin/page.ts";
import { readerOf } from "#admin/preferences.ts";

interface Shown {
  frame: Frame;
  entries: readonly AuditEntry[];
  next: string | null;
  query: Record<string, string>;
}

const names = ["actor", "action", "subject", "collection", "from", "until"];

export function AuditPage({ frame, entries, next, query }: Shown) {
  const filtered = names.some((name) => query[name]);
  return (
    <AdminPage frame={frame} title="Audit">
      <Filters query={query} filtered={filtered} />
      {entries.length === 0 ? (
        <Empty>
          <p>
            {next
              ? "None among those that were looked at so far. Older ones may be like that."
              : "Nothing here is like that."}
          </p>
        </Empty>
      ) : (
        <Table caption="Audit" heads={["When", "What happened", "Session", "Request"]}>
          {entries.map((entry) => (
            <tr>
              <td>
                <Time at={entry.at} />
              </td>
              <td class="full">
                <Sentence entry={entry} />
              </td>
              <td class="less">
                {entry.session === null ? "" : <code class="nowrap">{entry.session}</code>}
              </td>
              <td class="less nowrap">
                <Id of={entry.requestId} shown={entry.requestId.slice(0, 8)} />
              </td>
            </tr>
          ))}
        </Table>
      )}
      <Next href={next} name="Older" />
    </AdminPage>
  );
}

export function entryDocument({ at, requestId, sentRequestId, ...entry }: AuditEntry) {
  const { actor, actorName, session, action, subject, subjectName, collection, version } = entry;
  return {
    at: stamp(at),
    actor,
    actor_name: actorName,
    session,
    action,
    subject,
    subject_name: subjectName,
    collection,
    version,
    request_id: requestId,
    sent_request_id: sentRequestId,
  };
}

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
