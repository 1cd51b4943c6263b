import { defaultLimits } from "../../../domain/credential/credential";
import { Input } from "../../../html/form/input";
import { useField } from "../../../html/form/use-field";
import { numberOf, type Sent } from "../../frame/sent";
import { labels } from "./labels";

/** Folded away until somebody needs others, or wrote something impossible. */
export function Limits({ sent }: { sent: Sent }) {
  const limit = (name: "requests" | "writes", hint: string) => (
    <Input
      name={name}
      label={labels[name]}
      hint={hint}
      type="number"
      min={1}
      max={100_000}
      value={numberOf(sent[name]) || defaultLimits[name]}
    />
  );
  const { wrong: requests } = useField({ name: "requests" });
  const { wrong: writes } = useField({ name: "writes" });
  return (
    <details open={requests.length + writes.length > 0}>
      <summary>Limits</summary>
      <div class="grid">
        {limit("requests", "of all kinds")}
        {limit("writes", "which count in both")}
      </div>
    </details>
  );
}
