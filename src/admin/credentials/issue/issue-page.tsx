import { Origins } from "../access/origins";
import { may } from "../../../domain/credential/roles";
import type { Problem } from "../../../domain/problem/problem";
import { Choices } from "../../../html/form/choices";
import { Input } from "../../../html/form/input";
import type { Reachable } from "../../../store/credentials/reachable";
import type { Frame } from "../../frame/frame";
import { AdminPage } from "../../frame/layout";
import { textOf, type Sent } from "../../frame/sent";
import { AccessTo } from "../access/access-to";
import { Expiry } from "../access/expiry";
import { labels } from "../access/labels";
import { Limits } from "../access/limits";
import { Permissions } from "../access/permissions";
import { presets, presetsFor } from "./presets";
import { Kind } from "./kind";

interface Shown {
  frame: Frame;
  reachable: readonly Reachable[];
  sent: Sent;
  problem?: Problem;
}

/** What a new credential is for, and what it may reach. */
export function IssuePage({ frame, reachable, sent, problem }: Shown) {
  const { role } = frame.member;
  const purpose = textOf(sent["purpose"]);
  const purposes = presetsFor(role).map((value) => ({
    value: value as string,
    label: presets[value].name,
    hint: presets[value].hint,
  }));
  const custom = { value: "custom", label: "Custom", hint: "choose the permissions" };
  return (
    <AdminPage
      frame={frame}
      title="Issue a credential"
      crumbs={[["Integrations and external data", "/admin/integrations"]]}
      problem={problem}
      labels={labels}
    >
      <form method="post" action="/admin/integrations" class="issue">
        <input type="hidden" name="page" value="issue" />
        <Choices
          name="purpose"
          label={labels.purpose}
          options={[...purposes, custom]}
          chosen={[purpose]}
        >
          <div class="only" data-only="purpose">
            <Permissions role={role} sent={sent} isToken={!may(role, "credentials")} />
          </div>
        </Choices>
        <AccessTo reachable={reachable} sent={sent} />
        {may(role, "credentials") ? (
          <Kind sent={sent} />
        ) : (
          <input type="hidden" name="kind" value="token" />
        )}
        <Input
          name="name"
          label={labels.name}
          hint="What you will know it by. Left empty, it is called after its purpose."
          maxlength={200}
          value={textOf(sent["name"])}
        />
        <Expiry sent={sent} />
        <Limits sent={sent} />
        <Origins sent={sent} />
        <div class="actions">
          <button type="submit">Issue credential</button>
          <a class="button quiet" href="/admin/integrations">
            Cancel
          </a>
        </div>
      </form>
    </AdminPage>
  );
}
