import { clientId, credentialStateAt, type Credential } from "#domain/credential/credential.ts";
import { DescriptionList, Fold, ShortId, Badge, Tabs } from "#html/parts.tsx";
import { Time } from "#html/viewer.tsx";
import { credentialStateTones } from "./describe.ts";
import { accessSentence } from "./access-sentence.ts";
import type { CollectionLabel } from "#actions/operand-names.ts";
import { Action } from "#html/action-button.tsx";
import type { PropsWithChildren } from "hono/jsx";
import type { Problem } from "#domain/problem/problem.ts";
import { useText } from "#admin/language/index.tsx";
import { type PageContext, AdminPage } from "#admin/layout.tsx";

function CredentialSummary({ credential }: { credential: Credential }) {
  const { expiresAt, revokedAt, lastUsedAt, createdAt, limits, kind } = credential;
  const text = useText();
  const { facts, ...words } = text.credentials;
  const canWrite = credential.permissions.some((permission) => !permission.endsWith(":read"));
  return (
    <DescriptionList
      facts={[
        kind === "client" ? [facts.clientId, <ShortId of={clientId(credential)} />] : null,
        revokedAt === null
          ? [
              facts.expires,
              expiresAt === null ? (
                words.neverExpires
              ) : (
                <>
                  <Time at={expiresAt} as="day" />{" "}
                  <span class="muted">
                    <Time at={expiresAt} as="distance" />
                  </span>
                </>
              ),
            ]
          : [facts.revoked, <Time at={revokedAt} />],
        [
          facts.lastUsed,
          lastUsedAt === null ? words.neverUsed : <Time at={lastUsedAt} as="distance" />,
        ],
        [facts.created, <Time at={createdAt} as="day" />],
        [
          facts.limits,
          canWrite
            ? words.limits(limits.requests, limits.writes)
            : words.readLimit(limits.requests),
        ],
      ]}
    />
  );
}

function RevokeButton({ path, name, kind }: { path: string } & Pick<Credential, "name" | "kind">) {
  const text = useText().credentials;
  return (
    <Action
      action={`${path}/revoke`}
      name={text.revoke}
      title={text.revokeTitle(name)}
      confirm={text.revokeWarning(kind)}
    />
  );
}

interface CredentialLayoutProps {
  frame: PageContext;
  credential: Credential;
  /** The apps and forms that the credential could access, with their views. */
  reachable: readonly CollectionLabel[];
  tab: "requests" | "access" | "secrets";
  problem?: Problem | undefined;
}

/** The layout of all views of a credential: its state, its actions and its summary. */
export function CredentialLayout({
  frame,
  credential,
  reachable,
  tab,
  problem,
  children,
}: PropsWithChildren<CredentialLayoutProps>) {
  const { id, name, kind, revokedAt } = credential;
  const { now } = frame.viewer;
  const path = `/admin/integrations/${id}`;
  const state = credentialStateAt(credential, now);
  const text = frame.text.credentials;
  const tabs = {
    ...text.tabs,
    secrets: text.tabs.secrets[kind],
  };
  return (
    <AdminPage
      frame={frame}
      title={name}
      crumbs={[[text.title, "/admin/integrations"]]}
      badges={
        <>
          <Badge>{text.kinds[kind]}</Badge>
          <Badge tone={credentialStateTones[state]}>{text.states[state]}</Badge>
        </>
      }
      actions={revokedAt === null ? <RevokeButton {...{ path, name, kind }} /> : null}
      problem={problem}
      labels={text.labels}
    >
      <Fold name={text.details}>
        <p class="lead">{accessSentence(credential, reachable, frame.text)}</p>
        <CredentialSummary credential={credential} />
      </Fold>
      <Tabs
        label={text.tabsLabel}
        current={tabs[tab]}
        tabs={[
          [tabs.requests, path],
          [tabs.access, `${path}/access`],
          [tabs.secrets, `${path}/secrets`],
        ]}
      />
      {children}
    </AdminPage>
  );
}
