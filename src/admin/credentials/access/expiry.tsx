import type { Child } from "hono/jsx";
import { Input } from "../../../html/form/input";
import { WrongWith } from "../../../html/form/field";
import { useField } from "../../../html/form/use-field";
import { showDay, useReader } from "../../../html/reader";
import { textOf, type Sent } from "../../frame/sent";
import { labels } from "./labels";

const day = 24 * 60 * 60 * 1000;
const spans = [
  ["30d", "In 30 days", 30],
  ["90d", "In 90 days", 90],
  ["365d", "In a year", 365],
] as const;

/** One control that always says the day on which it ends. */
export function Expiry({ sent, keep }: { sent: Sent; keep?: Child }) {
  const reader = useReader();
  const { wired, wrong } = useField({ name: "expires" });
  const chosen = textOf(sent["expires"]) || (keep === undefined ? "90d" : "keep");
  const choice = (value: string, name: Child, told?: Child) => (
    <label class="choice">
      <input type="radio" name="expires" value={value} checked={chosen === value} />
      <span>
        {name} {told ? <small>{told}</small> : null}
      </span>
    </label>
  );
  return (
    <fieldset
      class="expiry"
      role="radiogroup"
      aria-invalid={wired["aria-invalid"]}
      aria-describedby={wired["aria-describedby"]}
      id={wired.id}
      tabindex={-1}
    >
      <legend>{labels.expires}</legend>
      {keep === undefined ? null : choice("keep", "As now", keep)}
      {spans.map(([value, name, days]) =>
        choice(value, name, `on ${showDay(reader, reader.now + days * day)}`),
      )}
      {choice("day", "At the end of a day")}
      <div class="only" data-only="expires">
        <Input
          name="expires_on"
          type="date"
          label="Day"
          hint={`in ${reader.zone.replaceAll("_", " ")}`}
          value={textOf(sent["expires_on"])}
        />
      </div>
      <input type="hidden" name="time_zone" value={textOf(sent["time_zone"]) || reader.zone} />
      {choice("never", "Never", "until it is revoked")}
      <WrongWith id={wired.id} wrong={wrong} />
    </fieldset>
  );
}
