import { Options } from "../../../html/form/options";

export interface CallFilter {
  /** "refused", "failed", or a status. */
  status: string;
  /** A part of the path, or of a request id. */
  find: string;
}

const outcomes = [
  { value: "", label: "Any outcome" },
  { value: "refused", label: "Refused (401, 403, 429)" },
  { value: "failed", label: "Every 4xx and 5xx" },
];

export function Filters({ status, find, count }: CallFilter & { count: number }) {
  return (
    <form method="get" class="bar" role="search" data-at-once>
      <input
        type="search"
        name="find"
        class="grow"
        value={find}
        placeholder="Path or request id"
        aria-label="Path or request id"
      />
      <select name="status" aria-label="Outcome">
        <Options options={outcomes} value={status} />
      </select>
      <button type="submit" class="quiet">
        Show
      </button>
      <span class="count">{`${count} of the last 200 calls, newest first`}</span>
    </form>
  );
}
