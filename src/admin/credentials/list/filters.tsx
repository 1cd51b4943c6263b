import { Options } from "../../../html/form/options";

export interface ListFilter {
  kind?: string | undefined;
  state: string;
}

const kinds = [
  { value: "", label: "Any kind" },
  { value: "token", label: "Personal tokens" },
  { value: "client", label: "API clients" },
];
const states = [
  { value: "current", label: "Not revoked" },
  { value: "ends_soon", label: "Expires within 14 days" },
  { value: "expired", label: "Expired" },
  { value: "revoked", label: "Revoked" },
  { value: "all", label: "All" },
];

export function Filters({ kind, state }: ListFilter) {
  return (
    <form method="get" action="/admin/integrations" class="bar" role="search" data-at-once>
      <select name="kind" aria-label="Kind">
        <Options options={kinds} value={kind ?? ""} />
      </select>
      <select name="state" aria-label="State">
        <Options options={states} value={state} />
      </select>
      <button type="submit" class="quiet">
        Show
      </button>
    </form>
  );
}
