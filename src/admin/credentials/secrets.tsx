import { liveSecrets, type Credential, type Secret } from "#domain/credential/credential.ts";
import { Empty, Table, Copyable } from "#html/parts.tsx";
import { Time } from "#html/viewer.tsx";
import { type Frame, AdminPage } from "#admin/layout.tsx";
import { Rotation } from "#admin/one-time-secret.tsx";
import { CredentialFrame } from "./layout.tsx";
import type { PropsWithChildren } from "hono/jsx";
import { clientId } from "./describe.ts";

export interface Shown {
  frame: Frame;
  credential: Credential;
}

/** A secret without what makes it one: how it begins, and its last four characters. */
function masked({ first_characters, last_characters }: Secret): string {
  return `${first_characters.slice(0, 4)}…${last_characters ?? ""}`;
}

export function SecretsPage({ frame, credential }: Shown) {
  const { id, revokedAt } = credential;
  const secrets = revokedAt === null ? liveSecrets(credential, frame.reader.now) : [];
  return (
    <CredentialFrame frame={frame} credential={credential} tab="Secrets">
      {secrets.length === 0 ? (
        <Empty>
          <p>It has no secret that is accepted.</p>
        </Empty>
      ) : (
        <Table caption="Secrets" heads={["Secret", "Made", "Ends"]}>
          {secrets.map((secret) => (
            <tr>
              <th scope="row">
                <code>{masked(secret)}</code>
              </th>
              <td data-label="Made">
                <Time at={secret.created_at} />
              </td>
              <td data-label="Ends">
                {secret.expires_at === null ? (
                  "with the credential"
                ) : (
                  <Time at={secret.expires_at} />
                )}
              </td>
            </tr>
          ))}
        </Table>
      )}
      {revokedAt === null ? <Rotation action={`/admin/integrations/${id}/rotate`} /> : null}
    </CredentialFrame>
  );
}

/** What a new secret is shown in, and what tells that it was. */
export function SecretFrame({ frame, credential, children }: PropsWithChildren<Shown>) {
  const { id, name, kind } = credential;
  return (
    <AdminPage
      frame={frame}
      title={kind === "token" ? "Your new token" : "Your new client secret"}
      crumbs={[
        ["Integrations and external data", "/admin/integrations"],
        [name, `/admin/integrations/${id}`],
      ]}
    >
      {children}
    </AdminPage>
  );
}

/** A new secret that was shown before. */
export function FormerSecretPage({ frame, credential }: Shown) {
  return (
    <SecretFrame frame={frame} credential={credential}>
      <p class="notice warn">
        It was shown once, and is kept nowhere. Where it was not copied, make a new one.
      </p>
      <p>
        <a class="button" href={`/admin/integrations/${credential.id}/secrets`}>
          To the secrets
        </a>
      </p>
    </SecretFrame>
  );
}

interface Handed extends Shown {
  secret: string;
  /** By language. */
  snippets: Record<string, string>;
  /** How an assistant is told of it. */
  assistant: string;
}

/** A new secret, this once, with a first call that works and changes nothing. */
export function NewSecretPage({ frame, credential, secret, snippets, assistant }: Handed) {
  const isToken = credential.kind === "token";
  return (
    <SecretFrame frame={frame} credential={credential}>
      <p class="notice warn">Copy it now: it is shown this once, and kept nowhere.</p>
      {isToken ? null : (
        <>
          <h2>Client id</h2>
          <Copyable id="client_id" text={clientId(credential)} />
        </>
      )}
      <h2>{isToken ? "Token" : "Client secret"}</h2>
      <Copyable id={isToken ? "token" : "client_secret"} text={secret} />
      <h2>Try it</h2>
      <p class="lead">A first call that works as it stands, and changes nothing.</p>
      {Object.entries(snippets).map(([language, text], i) => (
        <details open={i === 0}>
          <summary>{language}</summary>
          <Copyable id={i === 0 ? "ready" : `ready-${language}`} text={text} />
        </details>
      ))}
      <h2>Give it to an assistant</h2>
      <p class="lead">
        Assistants find the same apps and forms as tools at <code>/mcp</code>, and may do what this
        credential may. <a href="/docs/mcp">How they connect</a>
      </p>
      <details>
        <summary>Settings (Model Context Protocol)</summary>
        <Copyable id="assistant" text={assistant} />
      </details>
      <p>
        <a class="button quiet" href={`/admin/integrations/${credential.id}`}>
          Done
        </a>
      </p>
    </SecretFrame>
  );
}
