import type { Credential } from "../../../domain/credential/credential";
import type { CallLog, LoggedCall } from "../../../gate/call-log";
import { Empty } from "../../../html/parts/empty";
import { Table } from "../../../html/parts/table";
import type { Frame } from "../../frame/frame";
import { CredentialFrame } from "../frame/credential-frame";
import { Filters, type CallFilter } from "./filters";
import { Row } from "./row";
import { Why } from "./why";
import { Hours, Days } from "./charts";

interface Shown {
  frame: Frame;
  credential: Credential;
  log: CallLog;
  /** Newest first, with why each was refused. */
  calls: readonly { call: LoggedCall; reason: string }[];
  filter: CallFilter;
}

export function CallsPage({ frame, credential, log, calls, filter }: Shown) {
  const filtered = filter.status !== "" || filter.find !== "";
  const live = credential.revokedAt === null;
  return (
    <CredentialFrame frame={frame} credential={credential} tab="Calls">
      <div class="columns">
        <Hours log={log} now={frame.reader.now} />
        <Days log={log} now={frame.reader.now} />
        <Why calls={calls} path={live ? `/admin/integrations/${credential.id}` : undefined} />
      </div>
      <Filters {...filter} count={calls.length} />
      {calls.length === 0 ? (
        <Empty>
          <p>{filtered ? "No call is like that." : "No call yet."}</p>
          <p>
            {filtered ? (
              <a href={`/admin/integrations/${credential.id}`}>Show all</a>
            ) : (
              "The last 200 calls stand here a second after they were made."
            )}
          </p>
        </Empty>
      ) : (
        <Table
          caption="Calls"
          heads={["Time", "Call", "Outcome", "Why", { name: "ms", number: true }, "Request"]}
        >
          {calls.map(({ call, reason }) => (
            <Row
              call={call}
              reason={reason}
              path={live ? `/admin/integrations/${credential.id}` : undefined}
            />
          ))}
        </Table>
      )}
    </CredentialFrame>
  );
}
