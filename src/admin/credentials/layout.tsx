import { type Credential, findValidSecrets } from "#domain/credential/credential.ts";
import { DescriptionList, ShortId, Badge, Tabs } from "#html/parts.tsx";
import { formatCount, Time } from "#html/viewer.tsx";
import {
  clientId,
  describeAccess,
  credentialLabels,
  credentialKindLabels,
  credentialStateBadges,
  credentialStateAt,
} from "./describe.ts";
import { Action } from "#html/action-button.tsx";
import type { PropsWithChildren } from "hono/jsx";
import type { Problem } from "#domain/problem/problem.ts";
import { type PageContext, AdminPage } from "#admin/layout.tsx";

function CredentialSummary({ credential }: { credential: Credential }) {
  const { expiresAt, revokedAt, lastUsedAt, createdAt, limits, kind } = credential;
  return (
    <DescriptionList
      facts={[
        ["Access", describeAccess(credential)],
        kind === "client" ? ["Client id", <ShortId of={clientId(credential)} />] : null,
        revokedAt === null
          ? [
              "Expires",
              expiresAt === null ? (
                "never"
              ) : (
                <>
                  <Time at={expiresAt} as="day" />{" "}
                  <span class="muted">
                    <Time at={expiresAt} as="distance" />
                  </span>
                </>
              ),
            ]
          : ["Revoked", <Time at={revokedAt} />],
        ["Last used", lastUsedAt === null ? "not yet" : <Time at={lastUsedAt} as="distance" />],
        ["Issued", <Time at={createdAt} as="day" />],
        [
          "Limits a minute",
          `${formatCount(limits.requests)} requests, ${formatCount(limits.writes)} writes`,
        ],
      ]}
    />
  );
}

function RevokeButton({ path, name }: { path: string; name: string }) {
  return (
    <Action
      action={`${path}/revoke`}
      name="Revoke"
      title={`Revoke “${name}”?`}
      confirm="Its next request is refused, with every secret and access token that it has. This cannot be undone; its calls stay readable for 30 days."
    />
  );
}

interface CredentialLayoutProps {
  frame: PageContext;
  credential: Credential;
  tab: "Calls" | "Access" | "Secrets";
  problem?: Problem | undefined;
}

/** The layout of all views of a credential: its state, its actions and its summary. */
export function CredentialLayout({
  frame,
  credential,
  tab,
  problem,
  children,
}: PropsWithChildren<CredentialLayoutProps>) {
  const { id, name, kind, revokedAt } = credential;
  const { now } = frame.viewer;
  const path = `/admin/integrations/${id}`;
  const [state, tone] = credentialStateBadges[credentialStateAt(credential, now)];
  const secrets = findValidSecrets(credential, now).length;
  return (
    <AdminPage
      frame={frame}
      title={name}
      crumbs={[["Integrations and external data", "/admin/integrations"]]}
      badges={
        <>
          <Badge>{credentialKindLabels[kind]}</Badge>
          <Badge tone={tone}>{state}</Badge>
        </>
      }
      actions={revokedAt === null ? <RevokeButton path={path} name={name} /> : null}
      problem={problem}
      labels={credentialLabels}
    >
      <CredentialSummary credential={credential} />
      <Tabs
        label="Views of this credential"
        current={tab === "Secrets" && secrets > 0 ? `Secrets ${secrets}` : tab}
        tabs={[
          ["Calls", path],
          ["Access", `${path}/access`],
          [secrets > 0 ? `Secrets ${secrets}` : "Secrets", `${path}/secrets`],
        ]}
      />
      {children}
    </AdminPage>
  );
}
