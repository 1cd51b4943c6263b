import type { Child } from "hono/jsx";

/** Text with its line breaks, and its web addresses as links. */
export function Text({ text }: { text: string }) {
  return <span class="text">{linked(text)}</span>;
}

const mostLinks = 100;

function linked(text: string): Child[] {
  const parts = text.split(/(https?:\/\/[^\s<>"]+[^\s<>".,;:!?)\]])/u);
  if (parts.length > mostLinks * 2) return [text];
  return parts.map((part, index) =>
    index % 2 === 1 ? (
      <a href={part} rel="noopener noreferrer nofollow">
        {part}
      </a>
    ) : (
      part
    ),
  );
}
