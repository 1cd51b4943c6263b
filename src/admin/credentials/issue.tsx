import { within, type Role, type Permission, may } from "#domain/credential/permissions.ts";
import { Choices, Input } from "#html/inputs.tsx";
import { type Sent, textOf } from "#admin/form-input.ts";
import { labels, listed } from "./describe.ts";
import { Origins, AccessTo, Limits, Permissions } from "./access-inputs.tsx";
import type { Problem } from "#domain/problem/problem.ts";
import type { Reachable } from "#store/home/credential-lists.ts";
import { type Frame, AdminPage } from "#admin/layout.tsx";
import { Expiry } from "./access-page.tsx";

/** What credentials are usually for, with just the permissions that it takes. */
export const presets = {
  read: {
    name: "Read everything",
    hint: "for reports and exports",
    permissions: ["records:read", "submissions:read", "schema:read"],
  },
  website_form: {
    name: "Website form",
    hint: "creates submissions, and sees none",
    permissions: ["submissions:create"],
  },
  sync: {
    name: "Two-way sync",
    hint: "reads, creates and changes; deletes nothing",
    permissions: [
      "records:read",
      "records:write",
      "submissions:read",
      "submissions:write",
      "schema:read",
    ],
  },
  code: {
    name: "Definition as code",
    hint: "makes and changes forms and apps, without their data",
    permissions: ["schema:read", "schema:write"],
  },
} as const satisfies Record<string, { name: string; hint: string; permissions: Permission[] }>;

export type Preset = keyof typeof presets;

const presetKeys = Object.keys(presets) as Preset[];

/** The one of this name, if what was sent is one. */
export function presetNamed(sent: unknown): (typeof presets)[Preset] | undefined {
  const name = presetKeys.find((preset) => preset === sent);
  return name && presets[name];
}

/** Those that a member of this role can give: none is offered that would be refused. */
export function presetsFor(role: Role): Preset[] {
  return presetKeys.filter((preset) => {
    const { permissions } = presets[preset];
    return within(role, permissions).length === permissions.length;
  });
}

export function Kind({ sent }: { sent: Sent }) {
  return (
    <Choices
      name="kind"
      label={labels.kind}
      options={[
        {
          value: "token",
          label: "Personal token",
          hint: "sent with each request; ends when you leave",
        },
        {
          value: "client",
          label: "API client",
          hint: "id and secret for OAuth 2.0; outlives its maker",
        },
      ]}
      chosen={listed(sent["kind"] ?? "token")}
    />
  );
}

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
