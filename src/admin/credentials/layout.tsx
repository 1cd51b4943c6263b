import { type Credential, liveSecrets } from "#domain/credential/credential.ts";
import { Facts, Id, Badge, Tabs } from "#html/parts.tsx";
import { showCount, Time } from "#html/viewer.tsx";
import { clientId, accessInWords, labels, kindNames, stateNames, stateOf } from "./describe.ts";
import { Act } from "#html/action-button.tsx";
import type { PropsWithChildren } from "hono/jsx";
import type { Problem } from "#domain/problem/problem.ts";
import { type Frame, AdminPage } from "#admin/layout.tsx";

export function About({ credential }: { credential: Credential }) {
  const { expiresAt, revokedAt, lastUsedAt, createdAt, limits, kind } = credential;
  return (
    <Facts
      facts={[
        ["Access", accessInWords(credential)],
        kind === "client" ? ["Client id", <Id of={clientId(credential)} />] : null,
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
          `${showCount(limits.requests)} requests, ${showCount(limits.writes)} writes`,
        ],
      ]}
    />
  );
}

export function Revoke({ path, name }: { path: string; name: string }) {
  return (
    <Act
      action={`${path}/revoke`}
      name="Revoke"
      title={`Revoke “${name}”?`}
      confirm="Its next request is refused, with every secret and access token that it has. This cannot be undone; its calls stay readable for 30 days."
    />
  );
}

interface Shown {
  frame: Frame;
  credential: Credential;
  tab: "Calls" | "Access" | "Secrets";
  problem?: Problem | undefined;
}

/** What stands over each view of a credential: its state, what can be done, and what is known of it. */
export function CredentialFrame({
  frame,
  credential,
  tab,
  problem,
  children,
}: PropsWithChildren<Shown>) {
  const { id, name, kind, revokedAt } = credential;
  const { now } = frame.reader;
  const path = `/admin/integrations/${id}`;
  const [state, tone] = stateNames[stateOf(credential, now)];
  const secrets = liveSecrets(credential, now).length;
  return (
    <AdminPage
      frame={frame}
      title={name}
      crumbs={[["Integrations and external data", "/admin/integrations"]]}
      badges={
        <>
          <Badge>{kindNames[kind]}</Badge>
          <Badge tone={tone}>{state}</Badge>
        </>
      }
      acts={revokedAt === null ? <Revoke path={path} name={name} /> : null}
      problem={problem}
      labels={labels}
    >
      <About credential={credential} />
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
