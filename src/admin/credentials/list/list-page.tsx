import type { Credential } from "../../../domain/credential/credential";
import { Empty } from "../../../html/parts/empty";
import { Next } from "../../../html/parts/next";
import { Table } from "../../../html/parts/table";
import type { Frame } from "../../frame/frame";
import { AdminPage } from "../../frame/layout";
import { Filters, type ListFilter } from "./filters";
import { Row } from "./row";

interface Shown {
  frame: Frame;
  credentials: readonly Credential[];
  filter: ListFilter;
  next: string | null;
}

const heads = [
  "Name",
  "Kind",
  "Access",
  "Last used",
  { name: "24 hours", number: true },
  "Expires",
  "State",
];

export function IntegrationsPage({ frame, credentials, filter, next }: Shown) {
  const filtered = filter.kind !== undefined || filter.state !== "current";
  return (
    <AdminPage
      frame={frame}
      title="Integrations and external data"
      acts={
        <a class="button" href="/admin/integrations/new">
          Issue credential
        </a>
      }
    >
      <Filters {...filter} />
      {credentials.length === 0 ? (
        <Empty>
          <p>{filtered ? "No credential is like that." : "No system has access yet."}</p>
          {filtered ? (
            <p>
              <a href="/admin/integrations">Show all that are in use</a>
            </p>
          ) : (
            <p>A credential lets another system read or write through the API.</p>
          )}
        </Empty>
      ) : (
        <Table caption="Credentials" heads={heads}>
          {credentials.map((credential) => (
            <Row credential={credential} />
          ))}
        </Table>
      )}
      <Next href={next} name="Older" />
    </AdminPage>
  );
}
