import type { Child } from "hono/jsx";

/** Builds a text with elements inside, like sentence`Webhook ${name} is paused.` */
export const sentence = (texts: TemplateStringsArray, ...parts: Child[]): Child =>
  texts.flatMap((text, i) => (i < parts.length ? [text, parts[i]] : [text]));
