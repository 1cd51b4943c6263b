import type { Child } from "hono/jsx";
import { capitalize } from "#domain/text.ts";
import { sentence } from "#admin/language/sentence.ts";

interface Noun {
  one: string;
  many: string;
}

/** The texts about one kind of secret, with the name of that kind. */
const secretTexts = ({ one, many }: Noun) => ({
  title: capitalize(many),
  column: capitalize(one),
  none: `No valid ${one}`,
  alreadyShown: `This ${one} was already shown. If you didn’t copy it, rotate it to get a new one.`,
  view: `View ${many}`,
  rotate: `Rotate ${one}`,
  rotation: `Creates a new ${one}. The current one keeps working for the time you choose, and any older one expires immediately.`,
  overlap: `Expire old ${one}`,
  oldUntil: (time: Child) =>
    sentence`The old ${one} works until ${time}. Use the new one everywhere before then.`,
  expireTitle: (name: string) => `Expire ${name} now?`,
  expireWarning: `Requests with the old ${one} will fail immediately. The new one keeps working.`,
  expired: `Old ${one} expired`,
});

/** The secrets of credentials and webhooks. */
export const secrets = () => ({
  token: secretTexts({ one: "token", many: "tokens" }),
  client: secretTexts({ one: "client secret", many: "client secrets" }),
  webhook: secretTexts({ one: "secret", many: "secrets" }),
  columns: { created: "Created", expires: "Expires", actions: "Actions" },
  copyNow: "Copy it now. You won’t see it again.",
  done: "Done",
  expireNow: "Expire now",
  overlapUntil: (overlap: string, time: string) => `${overlap} (${time})`,
  overlaps: {
    none: "Immediately",
    "1h": "In 1 hour",
    "24h": "In 24 hours",
    "7d": "In 7 days",
  },
});
