import { Options } from "../../html/form/options";

const acts = [
  ["", "Anything"],
  ["record", "Anything with records"],
  ["record.create", "Created a record"],
  ["record.update", "Changed a record"],
  ["submission", "Anything with submissions"],
  ["submission.create", "Created a submission"],
  ["submission.update", "Changed a submission"],
  ["submission.delete", "Deleted a submission"],
  ["submission.close", "Closed a submission"],
  ["submission.reopen", "Reopened a submission"],
  ["definition", "Forms and apps"],
  ["credential", "Credentials"],
  ["member", "Members"],
  ["webhook", "Webhooks"],
].map(([value = "", label = ""]) => ({ value, label }));

export function Filters({ query, filtered }: { query: Record<string, string>; filtered: boolean }) {
  return (
    <form method="get" action="/admin/audit" role="search" class="bar">
      <label class="grow">
        Who
        <input
          type="search"
          name="actor"
          value={query["actor"]}
          placeholder="E-mail, or a credential’s name"
        />
      </label>
      <label>
        Did
        <select name="action">
          <Options options={acts} value={query["action"] ?? ""} />
        </select>
      </label>
      <label class="grow">
        To
        <input
          type="search"
          name="subject"
          value={query["subject"]}
          placeholder="Receipt number, id or e-mail"
        />
      </label>
      {query["collection"] ? (
        <label>
          In
          <input name="collection" value={query["collection"]} />
        </label>
      ) : null}
      <label>
        From
        <input type="date" name="from" value={query["from"]} />
      </label>
      <label>
        Until
        <input type="date" name="until" value={query["until"]} />
      </label>
      <button type="submit" class="quiet">
        Show
      </button>
      {filtered ? (
        <a class="button quiet" href="/admin/audit">
          Show all
        </a>
      ) : null}
    </form>
  );
}
