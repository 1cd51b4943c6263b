import type { PropsWithChildren } from "hono/jsx";
import { AdminPage } from "../../frame/layout";
import type { Shown } from "./secrets-page";

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
