import { Choices } from "../../../html/form/choices";
import type { Sent } from "../../frame/sent";
import { labels, listed } from "../access/labels";

export function Kind({ sent }: { sent: Sent }) {
  return (
    <Choices
      name="kind"
      label={labels.kind}
      options={[
        {
          value: "token",
          label: "Personal token",
          hint: "sent with each request; ends when you leave",
        },
        {
          value: "client",
          label: "API client",
          hint: "id and secret for OAuth 2.0; outlives its maker",
        },
      ]}
      chosen={listed(sent["kind"] ?? "token")}
    />
  );
}
