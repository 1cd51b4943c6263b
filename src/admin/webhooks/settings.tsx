import { webhookTypes, type Webhook } from "#domain/webhook/webhook.ts";
import { Choices, Input } from "#html/inputs.tsx";
import type { Reachable } from "#store/home/credential-lists.ts";
import { AccessTo } from "#admin/credentials/access-inputs.tsx";
import { listed } from "#admin/credentials/describe.ts";
import { textOf, type Sent } from "#admin/form-input.ts";
import { labels, typeNames, WebhookFrame, type HookShown } from "./layout.tsx";
import { Problem, type FieldError } from "#domain/problem/problem.ts";
import { type Frame, AdminPage } from "#admin/layout.tsx";

/** Where it goes, and what it tells. */
export function Inputs({ reachable, sent }: { reachable: readonly Reachable[]; sent: Sent }) {
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

/** What a page sends, as the API takes it; scripts send that themselves. */
export function webhookSent(given: Sent): Sent {
  const { version: _, ...sent } = given;
  const { page, scope, resources } = sent;
  if (page === undefined) return sent;
  const chosen = listed(resources);
  const all = scope === "all" && chosen.length === 0;
  return {
    name: textOf(sent["name"]).trim(),
    url: textOf(sent["url"]).trim(),
    types: listed(sent["types"]),
    collections: all ? "all" : scope === "all" ? ["all", ...chosen] : chosen,
    include: sent["include"],
  };
}

/** A webhook as the inputs of a page show it. */
export function shownInputs({ name, url, types, collections, include }: Webhook): Sent {
  return { name, url, types, resources: collections, include };
}

/** The order of a list means nothing here. */
const plain = (value: unknown) =>
  JSON.stringify(Array.isArray(value) ? value.map(String).toSorted(compareTexts) : value);
const compareTexts = (a: string, b: string) => (a < b ? -1 : 1);

/** What differs from what it is: whoever sends the rest again says nothing of where it goes, or what it tells. */
export function differing(before: Webhook, sent: Sent): Sent {
  const now: Sent = { ...before };
  return Object.fromEntries(
    Object.entries(sent).filter(([name, value]) => plain(value) !== plain(now[name])),
  );
}

/** A refusal in the words of the page: its inputs are called otherwise than the API's properties. */
export function pageRefusal(refusal: Problem): Problem {
  const errors = refusal.members["errors"] as FieldError[] | undefined;
  if (!errors) return refusal;
  const told = errors.map((error) => {
    if (error.field === "types") return { ...error, reason: "Choose at least one." };
    if (!error.field.startsWith("collections")) return error;
    const reason =
      error.field === "collections"
        ? "Choose either everything, or 1 to 100 single forms and apps."
        : error.reason;
    return { ...error, field: "resources", reason };
  });
  const { code, detail, members, headers } = refusal;
  return new Problem(code, detail, { ...members, errors: told }, headers);
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
