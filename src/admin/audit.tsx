import { Hono, type Context } from "hono";
import { problem } from "../domain/problem/problem";
import { isCalendarDay, stamp } from "../domain/time";
import type { AdminEnv } from "../env";
import { readAudit, type AuditEntry, type AuditPlace } from "../store/audit/audit-log";
import { listMembers } from "../store/members/members";
import { able, answer } from "./frame/answers";
import { Next, Table } from "../html/parts";
import { Time } from "../html/reader";
import { AdminPage } from "./frame/layout";

const perPage = 100;
const day = 24 * 60 * 60 * 1000;

/** Who did what, when. It is read here, and changed nowhere. */
export const audit = new Hono<AdminEnv>().use(able("audit")).get("/", async (c) => {
  const query = c.req.query();
  const from = dayOf("from", query["from"]);
  const until = dayOf("until", query["until"]);
  const filter = {
    actor: query["actor"],
    action: query["action"],
    subject: query["subject"],
    from,
    until: until === undefined ? undefined : until + day,
  };
  const before = placeOf(query["before"]);
  const { entries, next } = await readAudit(c.env.DB, filter, before, perPage);
  const address = new URL(c.req.url);
  if (next !== null) address.searchParams.set("before", `${next.at}.${next.number}`);
  const link = next === null ? null : address.href;
  const document = { items: entries.map(entryDocument), links: { self: c.req.url, next: link } };
  const members = await listMembers(c.env.DB);
  const names = new Map(members.map(({ id, email }) => [`member:${id}`, email]));
  return answer(c, document, () => (
    <AuditPage c={c} entries={entries} next={link} query={query} names={names} />
  ));
});

function placeOf(text = ""): AuditPlace | null {
  if (text === "") return null;
  const [, at, number] = /^(\d{1,16})\.(\d{1,16})$/.exec(text) ?? [];
  if (at && number) return { at: Number(at), number: Number(number) };
  const reason = "This is no place in the audit. Follow links.next as it was given.";
  throw problem.invalidInput([{ field: "before", code: "invalid_cursor", reason }]);
}

function dayOf(field: string, text = ""): number | undefined {
  if (text === "") return undefined;
  if (isCalendarDay(text)) return Date.parse(`${text}T00:00:00Z`);
  const reason = "Must be a calendar day like 2026-11-21.";
  throw problem.invalidInput([{ field, code: "invalid_format", reason }]);
}

function entryDocument({ at, requestId, sentRequestId, ...entry }: AuditEntry) {
  const { actor, session, action, subject, version } = entry;
  const ids = { request_id: requestId, sent_request_id: sentRequestId };
  return { at: stamp(at), actor, session, action, subject, version, ...ids };
}

interface Shown {
  c: Context<AdminEnv>;
  entries: readonly AuditEntry[];
  next: string | null;
  query: Record<string, string>;
  names: Map<string, string>;
}

function AuditPage({ c, entries, next, query, names }: Shown) {
  const input = (name: string, label: string, hint: string, type = "text") => (
    <label>
      {label}
      <small>{hint}</small>
      <input type={type} name={name} value={query[name]} />
    </label>
  );
  return (
    <AdminPage c={c} title="Audit">
      <form method="get" action="/admin/audit" role="search">
        <div class="grid">
          {input("actor", "Who", "member:… or credential:…")}
          {input("action", "Did", "as in submission.create")}
          {input("subject", "To", "an id, or form:KEY")}
          {input("from", "From", "a day, UTC", "date")}
          {input("until", "Until", "a day, UTC", "date")}
        </div>
        <button type="submit">Filter</button>
      </form>
      {entries.length === 0 ? (
        <p class="card">
          {next ? "None among those that were looked at so far." : "There is nothing here."}
        </p>
      ) : (
        <Table caption="Audit" heads={["When", "Who", "Did", "To", "Version", "Request id"]}>
          {entries.map((entry) => (
            <tr>
              <td>
                <Time at={entry.at} />
              </td>
              <td>{whoOf(entry, names)}</td>
              <td>{entry.action}</td>
              <td>
                <code>{entry.subject}</code>
              </td>
              <td class="number">{entry.version}</td>
              <td>
                <code>{entry.requestId}</code>
              </td>
            </tr>
          ))}
        </Table>
      )}
      <Next href={next} name="Older" />
    </AdminPage>
  );
}

function whoOf({ actor, session }: AuditEntry, names: Map<string, string>) {
  const credential = /^credential:(\w+)$/.exec(actor)?.[1];
  if (credential) return <a href={`/admin/integrations/${credential}`}>{actor}</a>;
  return `${names.get(actor) ?? actor}${session === null ? "" : `, session ${session}`}`;
}
