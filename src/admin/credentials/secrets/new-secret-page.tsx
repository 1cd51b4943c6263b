import { Copyable } from "../../../html/parts/copyable";
import { clientId } from "../document";
import { SecretFrame } from "./secret-frame";
import type { Shown } from "./secrets-page";

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
