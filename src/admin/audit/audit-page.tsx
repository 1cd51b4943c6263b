import { Options } from "../../html/field";
import { Empty, Id, Next, Table } from "../../html/parts";
import { Time } from "../../html/reader";
import type { AuditEntry } from "../../store/audit/audit-log";
import type { Frame } from "../frame/frame";
import { AdminPage } from "../frame/layout";
import { Sentence } from "./sentence";

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

const acts = [
  ["", "Anything"],
  ["record", "Anything with records"],
  ["record.create", "Created a record"],
  ["record.update", "Changed a record"],
  ["submission", "Anything with submissions"],
  ["submission.create", "Created a submission"],
  ["submission.update", "Changed a submission"],
  ["submission.delete", "Deleted a submission"],
  ["submission.close", "Closed a submission"],
  ["submission.reopen", "Reopened a submission"],
  ["definition", "Forms and apps"],
  ["credential", "Credentials"],
  ["member", "Members"],
  ["webhook", "Webhooks"],
].map(([value = "", label = ""]) => ({ value, label }));

function Filters({ query, filtered }: { query: Record<string, string>; filtered: boolean }) {
  return (
    <form method="get" action="/admin/audit" role="search" class="bar">
      <label class="grow">
        Who
        <input
          type="search"
          name="actor"
          value={query["actor"]}
          placeholder="E-mail, or a credential’s name"
        />
      </label>
      <label>
        Did
        <select name="action">
          <Options options={acts} value={query["action"] ?? ""} />
        </select>
      </label>
      <label class="grow">
        To
        <input
          type="search"
          name="subject"
          value={query["subject"]}
          placeholder="Receipt number, id or e-mail"
        />
      </label>
      {query["collection"] ? (
        <label>
          In
          <input name="collection" value={query["collection"]} />
        </label>
      ) : null}
      <label>
        From
        <input type="date" name="from" value={query["from"]} />
      </label>
      <label>
        Until
        <input type="date" name="until" value={query["until"]} />
      </label>
      <button type="submit" class="quiet">
        Show
      </button>
      {filtered ? (
        <a class="button quiet" href="/admin/audit">
          Show all
        </a>
      ) : null}
    </form>
  );
}
