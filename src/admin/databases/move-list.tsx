import type { ListedMove } from "#actions/request-move.ts";
import { countsItems, parseMoveProblem, type MovePhase } from "#domain/move.ts";
import { formatTimestamp } from "#domain/time.ts";
import { Action } from "#html/action-button.tsx";
import { Badge, Table, type Tone } from "#html/parts.tsx";
import { Time } from "#html/viewer.tsx";
import { useText } from "#admin/language/index.tsx";

const at = (time: number | null) => (time === null ? null : formatTimestamp(time));

/** Returns a move as JSON for scripts. */
export const moveDocument = (move: ListedMove) => ({
  id: move.id,
  collection: move.name,
  collections: move.collections.map(({ name }) => name),
  source: move.source,
  target: move.target,
  phase: move.phase,
  items: move.total,
  items_done: move.done,
  problem: move.problem,
  can_stop: move.canStop,
  started_by: move.actor,
  started_at: formatTimestamp(move.requestedAt),
  changed_at: formatTimestamp(move.changedAt),
  moved_at: at(move.movedAt),
  copy_erased_at: at(move.eraseAt),
});

const tones: Partial<Record<MovePhase, Tone>> = {
  kept: "good",
  done: "good",
  stopping: "warn",
  stopped: "warn",
};

/** Shows the share of finished items while a phase reads all of them. */
function Progress({ phase, done, total }: ListedMove) {
  const text = useText().moves;
  if (!countsItems({ phase, total })) return null;
  const label = text.progress(Math.min(done, total), total);
  return (
    <>
      <progress value={done} max={total} aria-label={text.phases[phase]}></progress>{" "}
      <small>{label}</small>
    </>
  );
}

function Problem({ problem: stored }: ListedMove) {
  const text = useText().moves;
  if (stored === null) return null;
  const { problem, detail } = parseMoveProblem(stored);
  return (
    <small>
      {problem === null ? stored : text.problems[problem]} {detail ? <code>{detail}</code> : null}
    </small>
  );
}

function MoveRow({ move, place }: { move: ListedMove; place: string }) {
  const { moves: text, audit } = useText();
  const { id, name, collections, source, target, phase, eraseAt, actorName, actor } = move;
  const [kind, key] = name.split(":");
  const others = collections.length - 1;
  const who = actorName ?? (actor === "system" ? audit.service : actor);
  return (
    <tr>
      <th scope="row">
        <a href={`/admin/${kind}s/${key}`}>
          <code>{name}</code>
        </a>{" "}
        {others > 0 ? <small>{text.others(others)}</small> : null}
      </th>
      <td data-label={text.columns.to}>
        {source === null ? (
          <code>{target}</code>
        ) : (
          text.from(<code>{source}</code>, <code>{target}</code>)
        )}
      </td>
      <td data-label={text.columns.state} class="full">
        <Badge tone={tones[phase] ?? "accent"}>{text.phases[phase]}</Badge> <Progress {...move} />{" "}
        <Problem {...move} />
        {phase === "kept" && eraseAt !== null ? (
          <small>{text.keptUntil(<Time at={eraseAt} as="day" />)}</small>
        ) : null}
      </td>
      <td data-label={text.columns.started}>
        {text.startedBy(<Time at={move.requestedAt} />, <bdi>{who}</bdi>)}
      </td>
      <td class="end">
        {move.canStop ? (
          <Action
            action={`${place}/moves/${id}/stop`}
            name={text.stop}
            confirm={text.stopping}
            little
          />
        ) : null}
      </td>
    </tr>
  );
}

/** Lists unfinished moves and moves that ended recently. */
export function MoveList({ moves, place }: { moves: readonly ListedMove[]; place: string }) {
  const { title, columns, stop } = useText().moves;
  if (moves.length === 0) return null;
  return (
    <>
      <h2>{title}</h2>
      <Table
        caption={title}
        columns={[
          columns.name,
          columns.to,
          columns.state,
          columns.started,
          { name: <span class="unseen">{stop}</span> },
        ]}
      >
        {moves.map((move) => (
          <MoveRow move={move} place={place} />
        ))}
      </Table>
    </>
  );
}
