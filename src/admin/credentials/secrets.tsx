import { findValidSecrets, type Credential, type Secret } from "#domain/credential/credential.ts";
import { EmptyState, Table, Copyable } from "#html/parts.tsx";
import { Time } from "#html/viewer.tsx";
import { type PageContext, AdminPage } from "#admin/layout.tsx";
import { getCredential, getCredentialWithExamples } from "#actions/credentials.ts";
import { serviceOrigin } from "#http/request.ts";
import { wantsJson } from "#admin/form-input.ts";
import { RotateSecretForm, takeOneTimeSecret } from "#admin/one-time-secret.tsx";
import { page } from "#admin/page.ts";
import {
  buildAssistantSettings,
  buildDryRun,
  buildSnippets,
  buildWebsiteSnippet,
} from "./snippets.ts";
import { CredentialLayout } from "./layout.tsx";
import type { PropsWithChildren } from "hono/jsx";
import { clientId, credentialDocument, credentialPath } from "./describe.ts";

interface SecretPageProps {
  frame: PageContext;
  credential: Credential;
}

/** A masked secret: its first and its last four characters. */
function maskSecret({ first_characters, last_characters }: Secret): string {
  return `${first_characters.slice(0, 4)}…${last_characters ?? ""}`;
}

export const secretsPage = page({
  load: ({ ctx, param }) => getCredential(ctx, param("id")),
  document: (credential, { ctx }) => ({
    items: credentialDocument(credential, ctx.now()).secrets,
  }),
  render(frame, credential) {
    const { id, revokedAt } = credential;
    const secrets = revokedAt === null ? findValidSecrets(credential, frame.viewer.now) : [];
    return (
      <CredentialLayout frame={frame} credential={credential} tab="Secrets">
        {secrets.length === 0 ? (
          <EmptyState>
            <p>No valid secrets</p>
          </EmptyState>
        ) : (
          <Table caption="Secrets" columns={["Secret", "Created", "Expires"]}>
            {secrets.map((secret) => (
              <tr>
                <th scope="row">
                  <code>{maskSecret(secret)}</code>
                </th>
                <td data-label="Created">
                  <Time at={secret.created_at} />
                </td>
                <td data-label="Expires">
                  {secret.expires_at === null ? (
                    "With the credential"
                  ) : (
                    <Time at={secret.expires_at} />
                  )}
                </td>
              </tr>
            ))}
          </Table>
        )}
        {revokedAt === null ? (
          <RotateSecretForm action={`/admin/integrations/${id}/rotate`} />
        ) : null}
      </CredentialLayout>
    );
  },
});

/** The layout of the page with a new secret, and of the page that follows it. */
function SecretLayout({ frame, credential, children }: PropsWithChildren<SecretPageProps>) {
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

/** Shown when the page with the secret is opened again. */
function SecretAlreadyShownPage({ frame, credential }: SecretPageProps) {
  return (
    <SecretLayout frame={frame} credential={credential}>
      <p class="notice warn">
        This secret was already shown. If you didn’t copy it, rotate it to get a new one.
      </p>
      <p>
        <a class="button" href={`/admin/integrations/${credential.id}/secrets`}>
          View secrets
        </a>
      </p>
    </SecretLayout>
  );
}

interface NewSecretPageProps extends SecretPageProps {
  secret: string;
  /** By language. */
  snippets: Record<string, string>;
  /** The settings of an assistant, as text. */
  assistant: string;
  /** The request of a web page, if the credential can only create submissions. */
  website: string | undefined;
}

/** Shows a new secret once, with an example call that works and changes nothing. */
function NewSecretPage({
  frame,
  credential,
  secret,
  snippets,
  assistant,
  website,
}: NewSecretPageProps) {
  const isToken = credential.kind === "token";
  return (
    <SecretLayout frame={frame} credential={credential}>
      <p class="notice warn">Copy it now. You won’t see it again.</p>
      {isToken ? null : (
        <>
          <h2>Client ID</h2>
          <Copyable id="client_id" text={clientId(credential)} />
        </>
      )}
      <h2>{isToken ? "Token" : "Client secret"}</h2>
      <Copyable id={isToken ? "token" : "client_secret"} text={secret} />
      <h2>Try it</h2>
      <p class="lead">Run this request as is. It changes no data.</p>
      {Object.entries(snippets).map(([language, text], i) => (
        <details open={i === 0}>
          <summary>{language}</summary>
          <Copyable id={i === 0 ? "ready" : `ready-${language}`} text={text} />
        </details>
      ))}
      {website === undefined ? (
        <>
          <h2>Connect an assistant</h2>
          <p class="lead">
            Assistants use your apps and forms as tools at <code>/mcp</code>, with the permissions
            of this credential. <a href="/docs/mcp">Learn how to connect</a>
          </p>
          <details>
            <summary>MCP settings</summary>
            <Copyable id="assistant" text={assistant} />
          </details>
        </>
      ) : (
        <>
          <h2>Post from your page</h2>
          <p class="lead">
            This request creates a submission.{" "}
            <a href="/docs/browsers#a-whole-page">Copy a whole page</a>
          </p>
          <Copyable id="website" text={website} />
        </>
      )}
      <p>
        <a class="button quiet" href={`/admin/integrations/${credential.id}`}>
          Done
        </a>
      </p>
    </SecretLayout>
  );
}

/** Shows the new secret to browsers. Scripts got it with the previous response and only get the credential here. */
export const newSecretPage = page({
  async load({ c, ctx, param }) {
    const { credential, examples } = await getCredentialWithExamples(ctx, param("id"));
    if (wantsJson(c)) return c.json(credentialDocument(credential, ctx.now()));
    const secret = await takeOneTimeSecret(c, credentialPath(credential));
    return { credential, examples, secret, origin: serviceOrigin(c) };
  },
  render(frame, { credential, examples, secret, origin }) {
    if (secret === undefined) return <SecretAlreadyShownPage {...{ frame, credential }} />;
    const dryRun = buildDryRun(origin, credential, examples);
    const snippets = buildSnippets(dryRun, origin, credential, secret);
    const assistant = buildAssistantSettings(origin, credential, secret);
    const website = buildWebsiteSnippet(origin, credential, secret, examples);
    return <NewSecretPage {...{ frame, credential, secret, assistant, snippets, website }} />;
  },
});
