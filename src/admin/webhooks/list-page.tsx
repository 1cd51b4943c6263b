import type { Webhook } from "../../domain/webhook/webhook";
import { Badge } from "../../html/parts/badge";
import { Empty } from "../../html/parts/empty";
import { Table } from "../../html/parts/table";
import { Time } from "../../html/time";
import { resourcesInWords } from "../credentials/access/access-in-words";
import type { Frame } from "../frame/frame";
import { AdminPage } from "../frame/layout";
import { stateNames, typesInWords } from "./words";

export function WebhooksPage({ frame, hooks }: { frame: Frame; hooks: readonly Webhook[] }) {
  return (
    <AdminPage
      frame={frame}
      title="Webhooks"
      acts={
        <a class="button" href="/admin/webhooks/new">
          Add webhook
        </a>
      }
    >
      {hooks.length === 0 ? (
        <Empty>
          <p>Nobody is told of changes yet.</p>
          <p>A webhook tells another system what happens to records and submissions.</p>
        </Empty>
      ) : (
        <Table
          caption="Webhooks"
          heads={["Name", "Address", "Listens to", "Tells of", "Made", "State"]}
        >
          {hooks.map((hook) => (
            <Row hook={hook} />
          ))}
        </Table>
      )}
    </AdminPage>
  );
}

function Row({ hook }: { hook: Webhook }) {
  const { id, name, url, types, createdAt, state, reason } = hook;
  const [stateName, tone] = stateNames[state];
  return (
    <tr>
      <th scope="row">
        <a href={`/admin/webhooks/${id}`}>
          <bdi>{name}</bdi>
        </a>
      </th>
      <td class="full">
        <code title={url}>{url}</code>
      </td>
      <td data-label="Listens to">{resourcesInWords(hook.collections)}</td>
      <td data-label="Tells of">{typesInWords(types)}</td>
      <td class="less">
        <Time at={createdAt} as="day" />
      </td>
      <td title={reason ?? undefined}>
        <Badge tone={tone}>{stateName}</Badge>
      </td>
    </tr>
  );
}
