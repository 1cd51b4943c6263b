import { permissions } from "../domain/permissions";
import type { CredentialDocument } from "./integrations";
import { Page } from "../html/page";

const heads = [
  "Name",
  "Kind",
  "Starts with",
  "Permissions",
  "Resources",
  "Expires",
  "Last used",
  "",
];

export function IntegrationsPage({ credentials }: { credentials: CredentialDocument[] }) {
  return (
    <Page title="Integrations and external data">
      <table>
        <thead>
          <tr>
            {heads.map((head) => (
              <th scope="col">{head}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {credentials.map((credential) => (
            <CredentialRow credential={credential} />
          ))}
        </tbody>
      </table>
      <IssueForm />
      <form method="post" action="/admin/sign-out">
        <button type="submit">Sign out</button>
      </form>
    </Page>
  );
}

function CredentialRow({ credential }: { credential: CredentialDocument }) {
  const { id, name, kind, secrets, resources } = credential;
  return (
    <tr>
      <th scope="row">{name}</th>
      <td>{kind}</td>
      <td>
        {secrets.map((secret) => (
          <code>{secret.first_characters}… </code>
        ))}
      </td>
      <td>{credential.permissions.join(", ")}</td>
      <td>{resources === "all" ? "all" : resources.join(", ")}</td>
      <td>{credential.expires_at ?? "never"}</td>
      <td>{credential.last_used_at ?? "not yet"}</td>
      <td>
        <form method="post" action={`/admin/integrations/${id}/rotate`}>
          <button type="submit">{`Rotate ${name}`}</button>
        </form>
        <form method="post" action={`/admin/integrations/${id}/revoke`}>
          <button type="submit">{`Revoke ${name}`}</button>
        </form>
      </td>
    </tr>
  );
}

function IssueForm() {
  return (
    <form method="post" action="/admin/integrations">
      <h2>Issue a credential</h2>
      <p>
        <label>
          Kind{" "}
          <select name="kind">
            <option value="token">Personal token</option>
            <option value="client">API client</option>
          </select>
        </label>{" "}
        <label>
          Name <input name="name" required maxlength={200} />
        </label>
      </p>
      <fieldset>
        <legend>Permissions</legend>
        {permissions.map((permission) => (
          <label>
            <input type="checkbox" name="permissions" value={permission} /> {permission}
          </label>
        ))}
      </fieldset>
      <p>
        <label>
          Resources <input name="resources" value="all" required />
        </label>{" "}
        <label>
          Expires{" "}
          <select name="expires" required>
            <option value="">Choose</option>
            <option value="30d">in 30 days</option>
            <option value="90d">in 90 days</option>
            <option value="365d">in 365 days</option>
            <option value="never">never</option>
          </select>
        </label>
      </p>
      <button type="submit">Issue</button>
    </form>
  );
}

export function SecretPage({ name, shown }: { name: string; shown: Record<string, string> }) {
  return (
    <Page title={`Secret of ${name}`}>
      <p>This is shown once. Copy it now.</p>
      <dl>
        {Object.entries(shown).map(([label, value]) => (
          <>
            <dt>{label}</dt>
            <dd>
              <code>{value}</code>
            </dd>
          </>
        ))}
      </dl>
      <p>
        <a href="/admin/integrations">Back to the list</a>
      </p>
    </Page>
  );
}
