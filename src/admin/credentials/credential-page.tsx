import type { Context } from "hono";
import type { Problem } from "../../domain/problem/problem";
import type { AdminEnv } from "../../env";
import type { LoggedCall } from "../../gate/call-log";
import { CredentialFields } from "./credential-fields";
import type { Sent } from "../frame/sent";
import type { CredentialDocument } from ".";
import { Act } from "../../html/act";
import { Copyable, Table } from "../../html/parts";
import { Time } from "../../html/reader";
import { AdminPage } from "../frame/layout";

interface Shown {
  c: Context<AdminEnv>;
  credential: CredentialDocument;
  resources: string[];
  calls: readonly LoggedCall[];
  sent?: Sent;
  problem?: Problem;
}

/** One credential: its log, and what can be changed. */
export function CredentialPage({ c, credential, resources, calls, sent, problem }: Shown) {
  const { id, name, kind, secrets } = credential;
  const path = `/admin/integrations/${id}`;
  const { expires } = credential;
  const now = { ...credential, ...credential.limits, expires: undefined };
  return (
    <AdminPage c={c} title={name} problem={problem}>
      <dl class="facts">
        <dt>Kind</dt>
        <dd>{kind === "token" ? "Personal token" : "API client"}</dd>
        {credential.client_id ? (
          <>
            <dt>Client id</dt>
            <dd>
              <code>{credential.client_id}</code>
            </dd>
          </>
        ) : null}
        <dt>Secrets</dt>
        <dd>
          {secrets.map((secret) => (
            <div>
              <code>{secret.first_characters}…</code> since {secret.created_at.slice(0, 10)}
              {secret.expires_at === null ? "" : `, ends ${secret.expires_at.slice(0, 16)}Z`}
            </div>
          ))}
        </dd>
        <dt>Expires</dt>
        <dd>{expires}</dd>
        {credential.revoked_at === null ? null : (
          <>
            <dt>Revoked</dt>
            <dd>{credential.revoked_at}</dd>
          </>
        )}
        <dt>Last used</dt>
        <dd>{credential.last_used_at ?? "not yet"}</dd>
      </dl>
      {credential.revoked_at === null ? <Acts path={path} name={name} /> : null}
      <Calls calls={calls} />
      {credential.revoked_at === null ? (
        <>
          <h2>Change it</h2>
          <form method="post" action={path}>
            <input type="hidden" name="version" value={credential.version} />
            <CredentialFields resources={resources} sent={sent ?? now} expires={expires} />
            <button type="submit">Save</button>
          </form>
        </>
      ) : null}
    </AdminPage>
  );
}

function Acts({ path, name }: { path: string; name: string }) {
  return (
    <div class="actions">
      <form method="post" action={`${path}/rotate`} class="actions">
        <select name="overlap" aria-label="The secret before">
          <option value="24h">The old secret lives for 24 hours</option>
          <option value="7d">… for 7 days</option>
          <option value="1h">… for an hour</option>
          <option value="none">… ends at once</option>
        </select>
        <button type="submit" class="quiet">
          Make a new secret
        </button>
      </form>
      <Act
        action={`${path}/revoke`}
        name="Revoke"
        confirm={`Revoke ${name}? Its next request is refused.`}
      />
    </div>
  );
}

function Calls({ calls }: { calls: readonly LoggedCall[] }) {
  return (
    <>
      <h2>Last calls</h2>
      {calls.length === 0 ? (
        <p>No call yet.</p>
      ) : (
        <Table caption="Last calls" heads={["Time", "Call", "Status", "ms", "Request id"]}>
          {calls.toReversed().map((call) => (
            <tr>
              <td>
                <Time at={call.at} />
              </td>
              <td>
                <code>
                  {call.method} {call.route}
                </code>
              </td>
              <td class="number">{call.status}</td>
              <td class="number">{call.milliseconds}</td>
              <td>
                <code>{call.requestId}</code>
              </td>
            </tr>
          ))}
        </Table>
      )}
    </>
  );
}

interface Secret {
  c: Context<AdminEnv>;
  name: string;
  shown: Record<string, string>;
  /** Lines for a shell that work at once. */
  ready: string;
}

const labels: Record<string, string> = {
  token: "Token",
  client_id: "Client id",
  client_secret: "Client secret",
};

export function SecretPage({ c, name, shown, ready }: Secret) {
  return (
    <AdminPage c={c} title={`Secret of ${name}`}>
      <p role="status">This is shown once, and kept nowhere. Copy it now.</p>
      {Object.entries(shown).map(([key, value]) => (
        <>
          <h2>{labels[key] ?? key}</h2>
          <Copyable id={key} text={value} />
        </>
      ))}
      <h2>Try it</h2>
      <Copyable id="ready" text={ready} />
      <p>
        <a href="/admin/integrations">Back to the list</a>
      </p>
    </AdminPage>
  );
}
