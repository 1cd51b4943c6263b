import type { Context } from "hono";
import type { CollectionKind } from "../../domain/definition/collection";
import type { Problem } from "../../domain/problem/problem";
import type { AdminEnv } from "../../env";
import { textOf, type Sent } from "../frame/sent";
import { AdminPage } from "../frame/layout";
import { type Document } from "./context";
import { words } from "./words";
import { inputsOf, optionLines, types } from "./field-input";

interface Shown {
  c: Context<AdminEnv>;
  kind: CollectionKind;
  document: Document;
  type: string;
  /** The line items that the field is in, and its own path when it is there already. */
  within: string | undefined;
  path: string | undefined;
  sent: Sent;
  problem?: Problem;
}

const results = ["number", "text", "boolean", "date", "datetime"];

/** One field, new or old. */
export function FieldPage({ c, kind, document, type, within, path, sent, problem }: Shown) {
  const base = `${words[kind].path}/${document.key}`;
  const has = inputsOf(type, within !== undefined);
  const before = path?.split(".").at(-1);
  const text = (name: string) => textOf(sent[name]);
  const meaning = types.find(([each]) => each === type)?.[1];
  return (
    <AdminPage c={c} title={before ? `Field ${before}` : "New field"} problem={problem}>
      <p>
        <a href={base}>{document.name}</a>
        {within === undefined ? "" : `, rows of ${within}`}: {type}, {meaning}.
      </p>
      <form method="post" action={path ? `${base}/fields/${path}` : `${base}/fields`}>
        <input
          type="hidden"
          name="version"
          value={text("version") || String(document.schema_version)}
        />
        <input type="hidden" name="type" value={type} />
        {path === undefined ? null : <input type="hidden" name="path" value={path} />}
        {within === undefined ? null : <input type="hidden" name="within" value={within} />}
        <div class="grid">
          <label>
            Key
            <small>
              {before
                ? `Another key renames the field: data, search and unique values stay, and “${before}” is answered with the new name.`
                : "What programs call it: small letters, digits, underscore."}
            </small>
            <input name="key" value={text("key")} required pattern="[a-z][a-z0-9_]{0,62}" />
          </label>
          <label>
            Label
            <small>What people read.</small>
            <input name="label" value={text("label")} maxlength={200} />
          </label>
        </div>
        {has.has("formula") ? (
          <Formula base={base} formula={text("formula")} result={text("result")} />
        ) : null}
        <RuleInputs has={has} sent={sent} />
        <p class="actions">
          <button type="submit">Save</button>
          <a class="button quiet" href={base}>
            Cancel
          </a>
        </p>
      </form>
    </AdminPage>
  );
}

/** The inputs of the rules that a field of this type can have. */
function RuleInputs({ has, sent }: { has: Set<string>; sent: Sent }) {
  const text = (name: string) => textOf(sent[name]);
  const number = (name: string, label: string, step = "1") =>
    has.has(name) ? (
      <label>
        {label}
        <input type="number" name={name} value={text(name)} step={step} />
      </label>
    ) : null;
  const flag = (name: string, label: string) =>
    has.has(name) ? (
      <label class="choice">
        <input type="checkbox" name={name} checked={sent[name] === true || sent[name] === "on"} />
        {label}
      </label>
    ) : null;
  return (
    <>
      {has.has("options") ? (
        <label>
          Options
          <small>
            One a line, in this order: the value, and behind a bar its label, as in “a | Apple”.
          </small>
          <textarea name="options" required>
            {typeof sent["options"] === "string" ? sent["options"] : optionLines(sent["options"])}
          </textarea>
        </label>
      ) : null}
      <div class="grid">
        {number("min_length", "Least characters")}
        {number("max_length", "Most characters")}
        {number("minimum", "At least", "any")}
        {number("maximum", "At most", "any")}
        {number("decimals", "Decimals")}
        {number("min_rows", "Least rows")}
        {number("max_rows", "Most rows")}
      </div>
      {has.has("pattern") ? (
        <label>
          Pattern
          <small>
            A regular expression that the text must match, without look-around and back-references.
          </small>
          <input name="pattern" value={text("pattern")} maxlength={1000} />
        </label>
      ) : null}
      {has.has("default") ? (
        <label class="narrow">
          Default
          <small>Stored where nothing is sent.</small>
          <input name="default" value={text("default")} />
        </label>
      ) : null}
      {flag("required", "Required")}
      {flag("integer", "Whole numbers only")}
      {flag("unique", "No value twice")}
      {flag("searchable", "Can be searched and sorted")}
    </>
  );
}

function Formula({ base, formula, result }: { base: string; formula: string; result: string }) {
  return (
    <>
      <label>
        Formula
        <small>
          CEL, over the keys of other fields: <code>qty * price</code>,{" "}
          <code>sum(lines.map(l, l.amount))</code>
        </small>
        <input
          name="formula"
          value={formula}
          required
          maxlength={2000}
          aria-describedby="formula-check"
          data-check={`${base}/check`}
        />
      </label>
      <p id="formula-check" role="status" class="muted">
        It is checked when you save{" "}
      </p>
      <label class="narrow">
        Result
        <select name="result">
          {results.map((each) => (
            <option value={each} selected={each === result}>
              {each}
            </option>
          ))}
        </select>
      </label>
    </>
  );
}
