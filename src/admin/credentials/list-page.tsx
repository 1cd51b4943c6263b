import type { Context } from "hono";
import type { Problem } from "../../domain/problem/problem";
import type { AdminEnv } from "../../env";
import { CredentialFields } from "./credential-fields";
import type { Sent } from "../frame/sent";
import type { CredentialDocument } from ".";
import { Table } from "../../html/parts";
import { AdminPage } from "../frame/layout";

const heads = [
  "Name",
  "Kind",
  "Starts with",
  "Permissions",
  "Resources",
  "Expires",
  "Last used",
  "24 hours",
];

type Listed = CredentialDocument & { last_24_hours: { requests: number; refusals: number } };

interface Shown {
  c: Context<AdminEnv>;
  credentials: Listed[];
  resources: string[];
  sent?: Sent;
  problem?: Problem;
}

export function IntegrationsPage({ c, credentials, resources, sent, problem }: Shown) {
  return (
    <AdminPage c={c} title="Integrations and external data" problem={problem}>
      <p>
        Credentials for other systems. A <strong>personal token</strong> is a bearer of its own and
        ends with its member; an <strong>API client</strong> exchanges its id and secret for access
        tokens (OAuth 2.0).
      </p>
      {credentials.length === 0 ? (
        <p class="card">There is no credential yet.</p>
      ) : (
        <Table caption="Credentials" heads={heads}>
          {credentials.map((credential) => (
            <CredentialRow credential={credential} />
          ))}
        </Table>
      )}
      <h2 id="issue">Issue a credential</h2>
      <form method="post" action="/admin/integrations">
        <fieldset>
          <legend>Kind</legend>
          <label class="choice">
            <input type="radio" name="kind" value="token" checked={sent?.["kind"] !== "client"} />
            <span>
              Personal token <small>for a script of your own</small>
            </span>
          </label>
          <label class="choice">
            <input type="radio" name="kind" value="client" checked={sent?.["kind"] === "client"} />
            <span>
              API client <small>for a system that outlives its maker</small>
            </span>
          </label>
        </fieldset>
        <CredentialFields resources={resources} sent={sent} />
        <button type="submit">Issue</button>
      </form>
    </AdminPage>
  );
}

const day = (stamp: string | null, otherwise: string) => stamp?.slice(0, 10) ?? otherwise;

function CredentialRow({ credential }: { credential: Listed }) {
  const { id, name, kind, secrets, resources, last_24_hours: counts } = credential;
  return (
    <tr>
      <th scope="row">
        <a href={`/admin/integrations/${id}`}>{name}</a>
      </th>
      <td>{kind === "token" ? "Personal token" : "API client"}</td>
      <td>
        {secrets.map((secret) => (
          <code>{secret.first_characters}… </code>
        ))}
      </td>
      <td>{credential.permissions.join(", ")}</td>
      <td>{resources === "all" ? "all" : resources.join(", ")}</td>
      <td>{day(credential.expires_at, "never")}</td>
      <td>{day(credential.last_used_at, "not yet")}</td>
      <td>
        {counts.requests} requests
        {counts.refusals > 0 ? `, ${counts.refusals} refused` : ""}
      </td>
    </tr>
  );
}
