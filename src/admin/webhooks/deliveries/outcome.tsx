import type { Delivery } from "../../../domain/webhook/delivery";

/** The item that it tells of, for as long as there is one. */
export function Told({ delivery: { collection, item, type } }: { delivery: Delivery }) {
  if (collection === null || item === null) return null;
  const [kind = "", key = ""] = collection.split(":");
  const short = `…${item.slice(-8)}`;
  if (type === "submission.deleted") return <code title={item}>{short}</code>;
  return (
    <a href={`/admin/${kind}s/${key}/items/${item}`} title={item}>
      {short}
    </a>
  );
}

/** Why it was no success, and how the answer began. */
export function Answered({ delivery: { error, answer } }: { delivery: Delivery }) {
  return (
    <>
      {error}
      {answer ? (
        <details>
          <summary>What it answered</summary>
          <pre class="wrapped">
            <code>{answer}</code>
          </pre>
        </details>
      ) : null}
    </>
  );
}
