import {
  filterAllowed,
  type Role,
  type Permission,
  roleAllows,
} from "#domain/credential/permissions.ts";
import { defaultRateLimits, type RateLimits } from "#domain/credential/credential.ts";
import { ChoiceGroup, Input } from "#html/inputs.tsx";
import { type FormValues, textOf } from "#admin/form-input.ts";
import { credentialLabels, toTextList } from "./describe.ts";
import { Origins, ResourceChoices, Limits, Permissions } from "./access-inputs.tsx";
import type { Problem } from "#domain/problem/problem.ts";
import type { CollectionLabel } from "#store/home/credential-lists.ts";
import { type PageContext, AdminPage } from "#admin/layout.tsx";
import { ExpiryInput } from "./access-page.tsx";

/** Common purposes of credentials with the least permissions that they need. */
const presets = {
  read: {
    name: "Reporting",
    hint: "Reads all data and definitions.",
    permissions: ["records:read", "submissions:read", "schema:read"],
  },
  website_form: {
    name: "Website form",
    hint: "Creates submissions. Can’t read them.",
    permissions: ["submissions:create"],
    // Everyone who reads the page shares the token. A page would stop when it expires.
    expires: "never",
    limits: { requests: 60, writes: 30 },
  },
  sync: {
    name: "Two-way sync",
    hint: "Reads, creates and edits data. Can’t delete it.",
    permissions: [
      "records:read",
      "records:write",
      "submissions:read",
      "submissions:write",
      "schema:read",
    ],
  },
  code: {
    name: "Definitions as code",
    hint: "Creates and edits forms and apps. Can’t access their data.",
    permissions: ["schema:read", "schema:write"],
  },
  partner: {
    name: "Partner sees only what it created",
    hint: "Reads, creates and edits items of a view. Not for web pages.",
    permissions: [
      "records:read",
      "records:write",
      "submissions:read",
      "submissions:write",
      "schema:read",
    ],
    seesPart: true,
  },
  part_report: {
    name: "Read-only reporting without personal data",
    hint: "Reads the fields of a view. Not for web pages.",
    permissions: ["records:read", "submissions:read", "schema:read"],
    seesPart: true,
  },
} as const satisfies Record<string, PresetChoice>;

interface PresetChoice {
  name: string;
  hint: string;
  permissions: readonly Permission[];
  /** Whether each resource must be a view. All visitors of a page would share it, so it has no origins. */
  seesPart?: boolean;
  /** Replaces the recommended expiry and limits of all other purposes. */
  expires?: "never";
  limits?: RateLimits;
}

const recommendedExpiry = "90d";

/** Replaces choices that the page leaves to the purpose. */
export function applyRecommendations(values: Record<string, unknown>): Record<string, unknown> {
  const preset = findPreset(values["purpose"]);
  const limits = preset?.limits ?? defaultRateLimits;
  return {
    ...values,
    expires:
      values["expires"] === "recommended"
        ? (preset?.expires ?? recommendedExpiry)
        : values["expires"],
    requests: values["requests"] === "" ? limits.requests : values["requests"],
    writes: values["writes"] === "" ? limits.writes : values["writes"],
  };
}

type Preset = keyof typeof presets;

const presetKeys = Object.keys(presets) as Preset[];

/** The preset with this name, or undefined. */
export function findPreset(purpose: unknown): PresetChoice | undefined {
  const name = presetKeys.find((preset) => preset === purpose);
  return name && presets[name];
}

/** The presets whose permissions a member with this role may grant. */
function grantablePresets(role: Role): Preset[] {
  return presetKeys.filter((preset) => {
    const { permissions } = presets[preset];
    return filterAllowed(role, permissions).length === permissions.length;
  });
}

function KindChoice({ values }: { values: FormValues }) {
  return (
    <ChoiceGroup
      name="kind"
      label={credentialLabels.kind}
      options={[
        {
          value: "token",
          label: "Personal token",
          hint: "Sent with each request. Stops working when you leave.",
        },
        {
          value: "client",
          label: "API client",
          hint: "ID and secret for OAuth 2.0. Keeps working when you leave.",
        },
      ]}
      chosen={toTextList(values["kind"] ?? "token")}
    />
  );
}

interface IssuePageProps {
  frame: PageContext;
  reachable: readonly CollectionLabel[];
  values: FormValues;
  problem?: Problem;
}

/** The form for a new credential. */
export function IssuePage({ frame, reachable, values, problem }: IssuePageProps) {
  const { role } = frame.member;
  const purpose = textOf(values["purpose"]);
  const purposes = grantablePresets(role).map((value) => ({
    value: value as string,
    label: presets[value].name,
    hint: presets[value].hint,
  }));
  const custom = { value: "custom", label: "Custom", hint: "Choose the permissions yourself." };
  return (
    <AdminPage
      frame={frame}
      title="Create credential"
      crumbs={[["Integrations and external data", "/admin/integrations"]]}
      problem={problem}
      labels={credentialLabels}
    >
      <form method="post" action="/admin/integrations" class="issue">
        <input type="hidden" name="page" value="issue" />
        <ChoiceGroup
          name="purpose"
          label={credentialLabels.purpose}
          options={[...purposes, custom]}
          chosen={[purpose]}
        >
          <div class="only" data-only="purpose">
            <Permissions role={role} values={values} isToken={!roleAllows(role, "credentials")} />
          </div>
        </ChoiceGroup>
        <ResourceChoices reachable={reachable} values={values} offersViews />
        {roleAllows(role, "credentials") ? (
          <KindChoice values={values} />
        ) : (
          <input type="hidden" name="kind" value="token" />
        )}
        <Input
          name="name"
          label={credentialLabels.name}
          hint="Leave blank to use the purpose."
          maxlength={200}
          value={textOf(values["name"])}
        />
        <ExpiryInput values={values} />
        <Limits values={values} recommended={presets.website_form.limits} />
        <Origins values={values} />
        <div class="actions">
          <button type="submit">Create credential</button>
          <a class="button quiet" href="/admin/integrations">
            Cancel
          </a>
        </div>
      </form>
    </AdminPage>
  );
}
