import type { Problem } from "../../domain/problem/problem";
import { webhookTypes } from "../../domain/webhook/webhook";
import { Choices } from "../../html/form/choices";
import { Input } from "../../html/form/input";
import type { Reachable } from "../../store/credentials/lists";
import { AccessTo, listed } from "../credentials/access-fields";
import type { Frame } from "../frame/frame";
import { AdminPage } from "../frame/layout";
import { textOf, type Sent } from "../frame/sent";
import { pageRefusal } from "./webhook-input";
import { WebhookFrame, type HookShown } from "./webhook-frame";
import { labels, typeNames } from "./words";

/** Where it goes, and what it tells. */
function Inputs({ reachable, sent }: { reachable: readonly Reachable[]; sent: Sent }) {
  return (
    <>
      <Input
        name="name"
        label={labels.name}
        hint="What you will know it by."
        required
        maxlength={100}
        value={textOf(sent["name"])}
      />
      <Input
        name="url"
        label={labels.url}
        hint="An https address with a host name, like https://shop.example/hooks; what it listens to is posted there."
        required
        inputmode="url"
        spellcheck={false}
        autocomplete="off"
        maxlength={2000}
        value={textOf(sent["url"])}
      />
      <Choices
        many
        name="types"
        label={labels.types}
        options={webhookTypes.map((value) => ({ value, label: typeNames[value], hint: value }))}
        chosen={listed(sent["types"])}
      />
      <AccessTo reachable={reachable} sent={sent} label={labels.resources} />
      <Choices
        name="include"
        label={labels.include}
        options={[
          { value: "item", label: "The whole item", hint: "as it is when it is sent" },
          { value: "ids", label: "Ids alone", hint: "for where data must not leave" },
        ]}
        chosen={[textOf(sent["include"]) || "item"]}
      />
    </>
  );
}

export function NewWebhookPage({
  frame,
  reachable,
  sent,
  problem,
}: {
  frame: Frame;
  reachable: readonly Reachable[];
  sent: Sent;
  problem?: Problem;
}) {
  return (
    <AdminPage
      frame={frame}
      title="Add a webhook"
      crumbs={[["Webhooks", "/admin/webhooks"]]}
      problem={problem && pageRefusal(problem)}
      labels={labels}
    >
      <form method="post" action="/admin/webhooks" class="issue">
        <input type="hidden" name="page" value="webhook" />
        <Inputs reachable={reachable} sent={sent} />
        <p class="muted">It tells what you may read, from now on, for as long as you may.</p>
        <p class="actions">
          <button type="submit">Add webhook</button>
          <a class="button quiet" href="/admin/webhooks">
            Cancel
          </a>
        </p>
      </form>
    </AdminPage>
  );
}

export function SettingsPage({
  reachable,
  sent,
  problem,
  ...shown
}: HookShown & { reachable: readonly Reachable[]; sent: Sent; problem?: Problem }) {
  const { id, version } = shown.hook;
  return (
    <WebhookFrame {...shown} tab="Settings" problem={problem && pageRefusal(problem)}>
      <form method="post" action={`/admin/webhooks/${id}`} class="issue">
        <input type="hidden" name="page" value="webhook" />
        <input type="hidden" name="version" value={String(version)} />
        <Inputs reachable={reachable} sent={sent} />
        <p class="muted">
          Whoever changes more than the name becomes its maker: it then tells what they may read.
        </p>
        <button type="submit">Save changes</button>
      </form>
    </WebhookFrame>
  );
}
