import { Copyable } from "../../../html/parts/copyable";
import { AdminPage } from "../../frame/layout";
import { clientId } from "../document";
import type { Shown } from "./secrets-page";

interface Handed extends Shown {
  /** Absent where it was shown before. */
  secret: string | undefined;
  snippets: Record<string, string> | undefined;
}

/** A new secret, this once, with a first call that works and changes nothing. */
export function NewSecretPage({ frame, credential, secret, snippets = {} }: Handed) {
  const { id, name, kind } = credential;
  const isToken = kind === "token";
  return (
    <AdminPage
      frame={frame}
      title={isToken ? "Your new token" : "Your new client secret"}
      crumbs={[
        ["Integrations and external data", "/admin/integrations"],
        [name, `/admin/integrations/${id}`],
      ]}
    >
      {secret === undefined ? (
        <>
          <p class="notice warn">
            It was shown once, and is kept nowhere. Where it was not copied, make a new one.
          </p>
          <p>
            <a class="button" href={`/admin/integrations/${id}/secrets`}>
              To the secrets
            </a>
          </p>
        </>
      ) : (
        <>
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
          <p>
            <a class="button quiet" href={`/admin/integrations/${id}`}>
              Done
            </a>
          </p>
        </>
      )}
    </AdminPage>
  );
}
