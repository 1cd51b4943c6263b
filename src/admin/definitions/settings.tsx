import type { CollectionKind } from "../../domain/definition/collection";
import { textOf, type Sent } from "../frame/sent";

/** What is said of an app or form besides its fields. */
export function Settings({
  kind,
  base,
  version,
  sent,
}: {
  kind: CollectionKind;
  base: string;
  version: number;
  sent: Sent;
}) {
  const text = (name: string) =>
    sent[name] === null || sent[name] === undefined ? "" : textOf(sent[name]);
  const moment = (name: string) => text(name).slice(0, 16);
  return (
    <form method="post" action={base}>
      <h2>Settings</h2>
      <input type="hidden" name="version" value={String(version)} />
      <div class="grid">
        <label>
          Name
          <input name="name" value={text("name")} required maxlength={200} />
        </label>
        <label>
          Time zone
          <input name="time_zone" value={text("time_zone")} required />
        </label>
        {kind === "app" ? (
          <label>
            Prefix of receipt numbers
            <input name="receipt_prefix" value={text("receipt_prefix")} maxlength={20} />
          </label>
        ) : null}
      </div>
      <label>
        Description
        <textarea name="description">{text("description")}</textarea>
      </label>
      {kind === "form" ? (
        <div class="grid">
          <label>
            Accepts submissions
            <select name="state">
              <option value="open" selected={text("state") === "open"}>
                yes
              </option>
              <option value="closed" selected={text("state") === "closed"}>
                no
              </option>
            </select>
          </label>
          <label>
            from (UTC)
            <input type="datetime-local" name="opens_at" value={moment("opens_at")} />
          </label>
          <label>
            until (UTC)
            <input type="datetime-local" name="closes_at" value={moment("closes_at")} />
          </label>
          <label>
            at most
            <input type="number" name="max_submissions" min={1} value={text("max_submissions")} />
          </label>
        </div>
      ) : null}
      <button type="submit">Save the settings</button>
    </form>
  );
}
