import {
  filterAllowed,
  type Role,
  type Permission,
  roleAllows,
} from "#domain/credential/permissions.ts";
import { defaultRateLimits, type RateLimits } from "#domain/credential/credential.ts";
import { ChoiceGroup, Input } from "#html/inputs.tsx";
import { type FormValues, textOf } from "#admin/form-input.ts";
import { toTextList } from "./describe.ts";
import { Origins, Limits, Permissions } from "./access-inputs.tsx";
import { ResourceChoices } from "./resource-choices.tsx";
import type { Problem } from "#domain/problem/problem.ts";
import type { CollectionLabel } from "#actions/operand-names.ts";
import { type Catalogue, useText } from "#admin/language/index.tsx";
import { type PageContext, AdminPage } from "#admin/layout.tsx";
import { ExpiryInput, NarrowAccess } from "./access-page.tsx";

/** Common purposes of credentials, with the fewest permissions that each one needs. */
const presets = {
  read: {
    permissions: ["records:read", "submissions:read", "schema:read"],
  },
  website_form: {
    permissions: ["submissions:create"],
    // All visitors of the page share the token. The page would stop working when it expires.
    expires: "never",
    limits: { requests: 60, writes: 30 },
    servesPage: true,
  },
  sync: {
    permissions: [
      "records:read",
      "records:write",
      "submissions:read",
      "submissions:write",
      "schema:read",
    ],
  },
  code: {
    permissions: ["schema:read", "schema:write"],
  },
  partner: {
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
    permissions: ["records:read", "submissions:read", "schema:read"],
    seesPart: true,
  },
} as const satisfies Record<string, PresetChoice>;

interface PresetChoice {
  permissions: readonly Permission[];
  /**
   * Whether each resource must be a view. It then has no origins, because all visitors of a page would share the view.
   */
  seesPart?: boolean;
  /** Whether a web page uses the credential. It then needs the page's origin, and should access only its form. */
  servesPage?: boolean;
  /** Replaces the expiry and limits that are recommended for other purposes. */
  expires?: "never";
  limits?: RateLimits;
}

const recommendedExpiry = "90d";

/** Fills in the choices that the page derives from the purpose. */
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

const findPresetKey = (purpose: unknown): Preset | undefined =>
  presetKeys.find((preset) => preset === purpose);

/** The preset with this name, or undefined. */
export function findPreset(purpose: unknown): PresetChoice | undefined {
  const name = findPresetKey(purpose);
  return name && presets[name];
}

/** Returns the name of a credential without an entered name, in the language of the member. */
export const nameAfterPurpose = (purpose: unknown, { credentialAccess }: Catalogue): string =>
  credentialAccess.purposes[findPresetKey(purpose) ?? "custom"].name;

/** Whether the credential gets a view of its own items in each form or app that is selected as a whole. */
export const createsOwnViews = (purpose: unknown, role: Role): boolean =>
  purpose === "partner" && grantablePresets(role).includes("partner");

/** Returns the presets whose permissions a member with this role may grant. */
function grantablePresets(role: Role): Preset[] {
  return presetKeys.filter((preset) => {
    const { permissions } = presets[preset];
    return filterAllowed(role, permissions).length === permissions.length;
  });
}

/** The purposes of credentials that web pages use. */
const pagePurposes = presetKeys.filter((key) => findPreset(key)?.servesPage);

/** Returns the names of the permissions of each preset, for the summary of the choices. */
const describePresets = ({ credentials }: Catalogue) =>
  Object.fromEntries(
    Object.entries(presets).map(([name, { permissions: granted }]) => [
      name,
      Object.fromEntries(
        granted.map((permission) => [permission, credentials.permissions[permission]]),
      ),
    ]),
  );

function KindChoice({ values }: { values: FormValues }) {
  const { credentials, credentialAccess } = useText();
  return (
    <ChoiceGroup
      name="kind"
      label={credentials.labels.kind}
      options={(["token", "client"] as const).map((value) => ({
        value,
        label: credentials.kinds[value],
        hint: credentialAccess.kindHints[value],
      }))}
      chosen={toTextList(values["kind"] ?? "token")}
    />
  );
}

/** The place where the script describes the access that the current choices would give. */
function AccessSummary() {
  const catalogue = useText();
  const { noOrigin, summary } = catalogue.credentialAccess;
  return (
    <section
      class="card"
      data-access-summary={summary.nothing}
      data-page-purposes={pagePurposes.join(" ")}
      data-purposes={JSON.stringify(describePresets(catalogue))}
      hidden
    >
      <h2>{summary.title}</h2>
      <p></p>
      <p>
        {summary.places} <span></span>
      </p>
      <p>
        {summary.origins} <span></span>
      </p>
      <p class="notice warn">{noOrigin}</p>
      <p class="notice warn">{summary.everything}</p>
    </section>
  );
}

/** Returns the path of this page with all views of an app or form. */
function pathWithViews(values: FormValues, name: string): string {
  const kept = ["purpose", "resources", "name", "kind"].map((key) => [key, textOf(values[key])]);
  const query = [...kept.filter(([, value]) => value !== ""), ["views", name]];
  return `/admin/integrations/new?${new URLSearchParams(query).toString()}`;
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
  const preset = findPreset(purpose);
  const { credentials, credentialAccess: text, terms } = frame.text;
  const purposes = [...grantablePresets(role), "custom" as const].map((value) => {
    const { name: label, hint } = text.purposes[value];
    return { value, label, hint };
  });
  return (
    <AdminPage
      frame={frame}
      title={credentials.create}
      crumbs={[[credentials.title, "/admin/integrations"]]}
      problem={problem}
      labels={credentials.labels}
    >
      <form method="post" action="/admin/integrations" class="issue" data-warn="">
        <input type="hidden" name="page" value="issue" />
        {preset ? (
          <NarrowAccess
            permissions={preset.permissions}
            resources={toTextList(values["resources"])}
            reachable={reachable}
          />
        ) : null}
        <ChoiceGroup
          name="purpose"
          label={credentials.labels.purpose}
          options={purposes}
          chosen={[purpose]}
        >
          <div class="only" data-only="purpose">
            <Permissions role={role} values={values} isToken={!roleAllows(role, "credentials")} />
          </div>
        </ChoiceGroup>
        <ResourceChoices
          reachable={reachable}
          values={preset?.servesPage ? { scope: "only", ...values } : values}
          viewsPath={(name) => pathWithViews(values, name)}
          offersParts={roleAllows(role, "credentials")}
        />
        {roleAllows(role, "credentials") ? (
          <KindChoice values={values} />
        ) : (
          <input type="hidden" name="kind" value="token" />
        )}
        <Input
          name="name"
          label={credentials.labels.name}
          hint={text.nameHint}
          maxlength={200}
          value={textOf(values["name"])}
        />
        <ExpiryInput values={values} />
        <Limits values={values} recommended={presets.website_form.limits} />
        <Origins values={values} isOpen={preset?.servesPage} />
        <AccessSummary />
        <div class="actions">
          <button type="submit">{credentials.create}</button>
          <a class="button quiet" href="/admin/integrations">
            {terms.cancel}
          </a>
        </div>
      </form>
    </AdminPage>
  );
}
