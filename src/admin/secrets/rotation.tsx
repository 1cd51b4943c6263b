import * as z from "zod/mini";
import { Select } from "../../html/form/select";

const hour = 60 * 60 * 1000;
const overlaps = { none: 0, "1h": hour, "24h": 24 * hour, "7d": 7 * 24 * hour };

/** How long the secret before lives on beside the new one. */
export const RotateInput = z.strictObject({
  overlap: z.pipe(
    z._default(z.enum(["none", "1h", "24h", "7d"]), "24h"),
    z.transform((name: keyof typeof overlaps) => overlaps[name]),
  ),
});

/** Makes another secret; the one before lives on as long as is chosen. */
export function Rotation({ action }: { action: string }) {
  return (
    <>
      <h2>Make a new secret</h2>
      <p class="lead">
        The one before it lives on for a while, so that the other system can change over without a
        break. An older third one ends at once.
      </p>
      <form method="post" action={action}>
        <Select
          name="overlap"
          label="The secret before ends"
          value="24h"
          options={[
            { value: "none", label: "At once" },
            { value: "1h", label: "In an hour" },
            { value: "24h", label: "In 24 hours" },
            { value: "7d", label: "In 7 days" },
          ]}
        />
        <button type="submit">Make a new secret</button>
      </form>
    </>
  );
}
