import {
  clientId,
  findValidSecrets,
  type Credential,
  type Secret,
} from "#domain/credential/credential.ts";
import { credentialDocument } from "#documents/credentials.ts";
import {
  buildAssistantSettings,
  buildExampleCall,
  buildSnippets,
  buildWebsiteSnippet,
} from "#documents/snippets.ts";
import { Action } from "#html/action-button.tsx";
import { EmptyState, Table, Copyable } from "#html/parts.tsx";
import { Time } from "#html/viewer.tsx";
import { type PageContext, AdminPage } from "#admin/layout.tsx";
import { getCredentialWithExamples, getUsedCredentialWithLabels } from "#actions/credentials.ts";
import { serviceOrigin } from "#http/request.ts";
import { wantsJson } from "#admin/form-input.ts";
import { useText } from "#admin/language/index.tsx";
import {
  OldSecretNotice,
  RotateSecretForm,
  SecretAlreadyShown,
  takeOneTimeSecret,
} from "#admin/one-time-secret.tsx";
import { page } from "#admin/page.ts";
import { CredentialLayout } from "./layout.tsx";
import type { PropsWithChildren } from "hono/jsx";
import { credentialPath } from "./describe.ts";

interface SecretPageProps {
  frame: PageContext;
  credential: Credential;
}

/** Masks a secret: returns its first and its last four characters. */
function maskSecret({ first_characters, last_characters }: Secret): string {
  return `${first_characters.slice(0, 4)}…${last_characters ?? ""}`;
}

export const secretsPage = page({
  load: ({ ctx, param }) => getUsedCredentialWithLabels(ctx, param("id")),
  document: ({ credential }, { ctx }) => ({
    items: credentialDocument(credential, ctx.now()).secrets,
  }),
  render(frame, { credential, reachable }) {
    const { id, kind, revokedAt } = credential;
    const secrets = revokedAt === null ? findValidSecrets(credential, frame.viewer.now) : [];
    const { columns, expireNow, [kind]: words } = frame.text.secrets;
    const text = frame.text.credentials;
    const hasOld = secrets.some(({ expires_at }) => expires_at !== null);
    return (
      <CredentialLayout {...{ frame, credential, reachable }} tab="secrets">
        {secrets.length === 0 ? (
          <EmptyState>
            <p>{words.none}</p>
          </EmptyState>
        ) : (
          <Table
            caption={words.title}
            columns={[
              words.column,
              columns.created,
              columns.expires,
              ...(hasOld ? [columns.actions] : []),
            ]}
          >
            {secrets.map((secret) => (
              <tr>
                <th scope="row">
                  <code>{maskSecret(secret)}</code>
                </th>
                <td data-label={columns.created}>
                  <Time at={secret.created_at} />
                </td>
                <td data-label={columns.expires}>
                  {secret.expires_at === null ? (
                    text.expiresWithCredential
                  ) : (
                    <Time at={secret.expires_at} />
                  )}
                </td>
                {hasOld ? (
                  <td>
                    {secret.expires_at === null ? null : (
                      <Action
                        action={`/admin/integrations/${id}/expire`}
                        name={expireNow}
                        title={words.expireTitle(maskSecret(secret))}
                        confirm={words.expireWarning}
                        values={{ secret: String(secret.id) }}
                        little
                      />
                    )}
                  </td>
                ) : null}
              </tr>
            ))}
          </Table>
        )}
        <OldSecretNotice kind={kind} secrets={secrets} />
        {revokedAt === null ? (
          <RotateSecretForm kind={kind} action={`/admin/integrations/${id}/rotate`} />
        ) : null}
      </CredentialLayout>
    );
  },
});

/** The layout of the page with a new secret. Also used when the page is opened again. */
function SecretLayout({ frame, credential, children }: PropsWithChildren<SecretPageProps>) {
  const { id, name, kind } = credential;
  const text = frame.text.credentials;
  return (
    <AdminPage
      frame={frame}
      title={text.newSecret.titles[kind]}
      crumbs={[
        [text.title, "/admin/integrations"],
        [name, `/admin/integrations/${id}`],
      ]}
    >
      {children}
    </AdminPage>
  );
}

interface NewSecretPageProps extends SecretPageProps {
  secret: string;
  /** Example calls by programming language. */
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
  const text = frame.text.credentials.newSecret;
  return (
    <SecretLayout frame={frame} credential={credential}>
      <p class="notice warn">{frame.text.secrets.copyNow}</p>
      <OldSecretNotice
        kind={credential.kind}
        secrets={findValidSecrets(credential, frame.viewer.now).slice(0, -1)}
      />
      {isToken ? null : (
        <>
          <h2>{text.clientId}</h2>
          <Copyable id="client_id" text={clientId(credential)} />
        </>
      )}
      <h2>{text.names[credential.kind]}</h2>
      <Copyable id={isToken ? "token" : "client_secret"} text={secret} />
      <h2>{text.tryIt}</h2>
      <p class="lead">{text.runnable}</p>
      {Object.entries(snippets).map(([language, snippet], i) => (
        <details open={i === 0}>
          <summary>{language}</summary>
          <Copyable id={i === 0 ? "ready" : `ready-${language}`} text={snippet} />
        </details>
      ))}
      {website === undefined ? (
        <AssistantSettings settings={assistant} />
      ) : (
        <>
          <h2>{text.website}</h2>
          {credential.origins.length > 0 ? null : (
            <p class="notice warn">
              {frame.text.credentialAccess.noOrigin}{" "}
              <a href={`/admin/integrations/${credential.id}/access`}>{text.changeAccess}</a>
            </p>
          )}
          <p class="lead">
            {text.websiteRequest} <a href="/docs/browsers#a-whole-page">{text.websiteExample}</a>
          </p>
          <Copyable id="website" text={website} />
        </>
      )}
      <p>
        <a class="button quiet" href={`/admin/integrations/${credential.id}`}>
          {frame.text.secrets.done}
        </a>
      </p>
    </SecretLayout>
  );
}

function AssistantSettings({ settings }: { settings: string }) {
  const text = useText().credentials.newSecret;
  return (
    <>
      <h2>{text.assistant}</h2>
      <p class="lead">
        {text.assistants(<code>/mcp</code>)} <a href="/docs/mcp">{text.assistantGuide}</a>
      </p>
      <details>
        <summary>{text.assistantSettings}</summary>
        <Copyable id="assistant" text={settings} />
      </details>
    </>
  );
}

/**
 * Shows the new secret to browsers. Scripts got the secret in the previous response, so they get only the credential
 * here.
 */
export const newSecretPage = page({
  async load({ c, ctx, param }) {
    const { credential, examples } = await getCredentialWithExamples(ctx, param("id"));
    if (wantsJson(c)) return c.json(credentialDocument(credential, ctx.now()));
    const secret = await takeOneTimeSecret(c, credentialPath(credential));
    return { credential, examples, secret, origin: serviceOrigin(c) };
  },
  render(frame, { credential, examples, secret, origin }) {
    if (secret === undefined)
      return (
        <SecretLayout {...{ frame, credential }}>
          <SecretAlreadyShown
            kind={credential.kind}
            secretsPath={`${credentialPath(credential)}/secrets`}
          />
        </SecretLayout>
      );
    const dryRun = buildExampleCall(origin, credential, examples);
    const snippets = buildSnippets(dryRun, origin, credential, secret);
    const assistant = buildAssistantSettings(origin, credential, secret);
    const { websiteComment } = frame.text.credentials.newSecret;
    const website = buildWebsiteSnippet(origin, credential, secret, examples, websiteComment);
    return <NewSecretPage {...{ frame, credential, secret, assistant, snippets, website }} />;
  },
});
