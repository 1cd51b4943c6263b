import { Hono, type Context } from "hono";
import { stamp } from "../domain/time";
import type { AdminEnv } from "../env";
import { readAudit, type AuditEntry } from "../store/audit-log";
import { listMembers } from "../store/members";
import { able, answer } from "./answers";
import { AdminPage, Next, Table, Time } from "./layout";

const perPage = 100;
const day = 24 * 60 * 60 * 1000;

/** Who did what, when. It is read here, and changed nowhere. */
export const audit = new Hono<AdminEnv>().use(able("audit")).get("/", async (c) => {
  const query = c.req.query();
  const from = dayOf(query["from"]);
  const until = dayOf(query["until"]);
  const filter = {
    actor: query["actor"],
    action: query["action"],
    subject: query["subject"],
    from,
    until: until === undefined ? undefined : until + day,
  };
  const before = /^\d{1,15}$/.test(query["before"] ?? "") ? Number(query["before"]) : null;
  const { entries, next } = await readAudit(c.env.DB, filter, before, perPage);
  const address = new URL(c.req.url);
  if (next !== null) address.searchParams.set("before", String(next));
  const link = next === null ? null : address.href;
  const document = { items: entries.map(entryDocument), links: { self: c.req.url, next: link } };
  const members = await listMembers(c.env.DB);
  const names = new Map(members.map(({ id, email }) => [`member:${id}`, email]));
  return answer(c, document, () => (
    <AuditPage c={c} entries={entries} next={link} query={query} names={names} />
  ));
});

function dayOf(text: string | undefined): number | undefined {
  const time = Date.parse(`${text}T00:00:00Z`);
  return text && Number.isFinite(time) ? time : undefined;
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
