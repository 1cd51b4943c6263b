import { TextArea } from "../../../html/form/text-area";
import { useField } from "../../../html/form/use-field";
import type { Sent } from "../../frame/sent";
import { labels, listed } from "./labels";

/** Folded away: most credentials are for servers. */
export function Origins({ sent }: { sent: Sent }) {
  const { wrong } = useField({ name: "origins" });
  const said = listed(sent["origins"]).join("\n");
  return (
    <details open={wrong.length > 0 || said !== ""}>
      <summary>Browsers</summary>
      <TextArea
        name="origins"
        label={labels.origins}
        hint="Pages of these may call with this credential, one on each line, like https://shop.example. Whoever opens such a page can take the credential: give it no more than to create."
        value={said}
        rows={3}
      />
    </details>
  );
}
