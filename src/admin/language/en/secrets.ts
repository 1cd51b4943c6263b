import type { Child } from "hono/jsx";
import { sentence } from "#admin/language/sentence.ts";

/** The secrets of credentials and webhooks. */
export const secrets = () => ({
  title: "Secrets",
  columns: { secret: "Secret", created: "Created", expires: "Expires" },
  copyNow: "Copy it now. You won’t see it again.",
  alreadyShown: "This secret was already shown. If you didn’t copy it, rotate it to get a new one.",
  view: "View secrets",
  done: "Done",
  rotate: "Rotate secret",
  rotation:
    "Creates a new secret. The current one keeps working for the time you choose, and any older one expires immediately.",
  overlap: "Expire old secret",
  overlapUntil: (overlap: string, time: string) => `${overlap} (${time})`,
  oldUntil: (time: Child) =>
    sentence`The old secret works until ${time}. Use the new one everywhere before then. To end the old one earlier, rotate again: that expires it immediately.`,
  overlaps: {
    none: "Immediately",
    "1h": "In 1 hour",
    "24h": "In 24 hours",
    "7d": "In 7 days",
  },
});
