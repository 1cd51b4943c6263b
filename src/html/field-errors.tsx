import type { Problem } from "../domain/problem/problem";

/** Every field that was wrong, with the reason. */
export function FieldErrors({ problem }: { problem: Problem }) {
  const errors = (problem.members["errors"] ?? []) as { field: string; reason: string }[];
  if (errors.length === 0) return null;
  return (
    <ul>
      {errors.map(({ field, reason }) => (
        <li>
          <strong>{field}</strong>: {reason}
        </li>
      ))}
    </ul>
  );
}
