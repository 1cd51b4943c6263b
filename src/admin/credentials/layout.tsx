import { type Credential, findValidSecrets } from "#domain/credential/credential.ts";
import { DescriptionList, ShortId, Badge, Tabs } from "#html/parts.tsx";
import { formatQuantity, Time } from "#html/viewer.tsx";
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
        kind === "client" ? ["Client ID", <ShortId of={clientId(credential)} />] : null,
        revokedAt === null
          ? [
              "Expires",
              expiresAt === null ? (
                "Never"
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
        ["Last used", lastUsedAt === null ? "Never" : <Time at={lastUsedAt} as="distance" />],
        ["Created", <Time at={createdAt} as="day" />],
        [
          "Rate limits",
          `${formatQuantity(limits.requests, "request")} and ${formatQuantity(limits.writes, "write")} per minute`,
        ],
      ]}
    />
  );
}

function RevokeButton({ path, name }: { path: string; name: string }) {
  return (
    <Action
      action={`${path}/revoke`}
      name="Revoke credential"
      title={`Revoke “${name}”?`}
      confirm="All its secrets and access tokens stop working immediately. You can’t undo this."
    />
  );
}

interface CredentialLayoutProps {
  frame: PageContext;
  credential: Credential;
  tab: "Requests" | "Access" | "Secrets";
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
        label="Credential"
        current={tab === "Secrets" && secrets > 0 ? `Secrets ${secrets}` : tab}
        tabs={[
          ["Requests", path],
          ["Access", `${path}/access`],
          [secrets > 0 ? `Secrets ${secrets}` : "Secrets", `${path}/secrets`],
        ]}
      />
      {children}
    </AdminPage>
  );
}
