import { Empty } from "../../html/parts/empty";
import { Id } from "../../html/parts/id";
import { Next } from "../../html/parts/next";
import { Table } from "../../html/parts/table";
import { Time } from "../../html/time";
import type { AuditEntry } from "../../store/audit/audit-log";
import type { Frame } from "../frame/frame";
import { AdminPage } from "../frame/layout";
import { Sentence } from "./sentence";
import { Filters } from "./filters";

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
