import type { PropsWithChildren } from "hono/jsx";
import { liveSecrets, type Credential } from "../../../domain/credential/credential";
import type { Problem } from "../../../domain/problem/problem";
import { Badge } from "../../../html/parts/badge";
import { Tabs } from "../../../html/parts/tabs";
import type { Frame } from "../../frame/frame";
import { AdminPage } from "../../frame/layout";
import { labels } from "../access/labels";
import { kindNames } from "../words";
import { stateNames, stateOf } from "../state";
import { Revoke } from "./revoke";
import { About } from "./about";

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
