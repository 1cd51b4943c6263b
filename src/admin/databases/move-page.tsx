import * as z from "zod/mini";
import {
  listMovable,
  planMove,
  startMove,
  stopMove,
  type MovePlan,
} from "#actions/request-move.ts";
import { listDatabases, type DatabaseStatus } from "#actions/databases.ts";
import type { MoveRefusal } from "#domain/move.ts";
import { lazy } from "#domain/lazy.ts";
import { errorAt } from "#domain/problem/field-errors.ts";
import { problem, type Problem } from "#domain/problem/problem.ts";
import { findClosest } from "#domain/text-distance.ts";
import { Input, Select } from "#html/inputs.tsx";
import { Table } from "#html/parts.tsx";
import { Count, formatBytes, useViewer } from "#html/viewer.tsx";
import { textParameters } from "#http/query.ts";
import type { NamedCollection } from "#store/home/find.ts";
import { textOf } from "#admin/form-input.ts";
import { useText, type Catalogue } from "#admin/language/index.tsx";
import { AdminPage, type PageContext } from "#admin/layout.tsx";
import { action, page } from "#admin/page.ts";
import { nameLocation } from "./locations.ts";
import { moveDocument } from "./move-list.tsx";

export const databasesPath = "/admin/settings/databases";

interface MoveChoice {
  collection: string;
  to: string;
}

interface Loaded extends MoveChoice {
  collections: NamedCollection[];
  databases: DatabaseStatus[];
  /** Null until the member has chosen both. */
  plan: MovePlan | MoveRefusal | null;
}

const nameOf = ({ kind, key }: Pick<NamedCollection, "kind" | "key">) => `${kind}:${key}`;

const refusedTarget: readonly MoveRefusal[] = [
  "unknown_database",
  "same_database",
  "database_not_ready",
  "other_location",
];

/** Returns the refusal as an error of its input. For an unknown name, it suggests the closest one. */
function refusalProblem(
  text: Catalogue,
  refusal: MoveRefusal,
  { collection, to }: MoveChoice,
  { collections, databases }: Pick<Loaded, "collections" | "databases">,
): Problem {
  const isUnknown = refusal === "unknown_collection" || refusal === "unknown_database";
  const [field, given, names] = refusedTarget.includes(refusal)
    ? (["to", to, databases.map(({ name }) => name)] as const)
    : (["collection", collection, collections.map(nameOf)] as const);
  const closest = isUnknown ? findClosest(given, names) : undefined;
  const hint = closest === undefined ? "" : text.moves.did(closest);
  const code = isUnknown ? "unknown_reference" : "not_accepted";
  return problem.invalidInput([errorAt([field], code, text.moves.problems[refusal] + hint)]);
}

function ChoiceForm({ collection, to, collections, databases }: Loaded) {
  const viewer = useViewer();
  const { moves: text, databases: names } = useText();
  const describe = ({ name, location, report }: DatabaseStatus) =>
    [
      name,
      location === null ? null : nameLocation(names.locations, location),
      report ? formatBytes(viewer, report.bytes) : null,
    ]
      .filter((part) => part !== null)
      .join(" · ");
  return (
    <form method="get" action={`${databasesPath}/move`} class="inputs">
      <Input
        name="collection"
        label={text.input.collection}
        hint={text.input.collectionHint}
        value={collection}
        list="movable"
        maxlength={100}
        autocomplete="off"
        spellcheck={false}
        required
      />
      <datalist id="movable">
        {collections.map((each) => (
          <option value={nameOf(each)}>{each.name}</option>
        ))}
      </datalist>
      <Select
        name="to"
        label={text.input.to}
        value={to}
        options={[
          { value: "", label: text.input.toEmpty },
          ...databases.map((database) => ({ value: database.name, label: describe(database) })),
        ]}
        required
      />
      <p class="actions">
        <button type="submit">{text.input.review}</button>
      </p>
    </form>
  );
}

function Review({ collection, plan }: { collection: string; plan: MovePlan }) {
  const { moves: text, databases: names } = useText();
  const { source, target, collections, items, delays } = plan;
  const count = collections.length;
  return (
    <>
      <p>{text.what(count, items, source, target)}</p>
      {count > 1 ? <p>{text.linked(count)}</p> : null}
      <Table
        caption={text.title}
        columns={[text.columns.name, { name: text.itemColumn, number: true }]}
      >
        {collections.map((each) => (
          <tr>
            <th scope="row">
              <bdi>{each.name}</bdi> <code>{nameOf(each)}</code>
            </th>
            <td class="number" data-label={text.itemColumn}>
              <Count of={each.itemCount} />
            </td>
          </tr>
        ))}
      </Table>
      {delays.length > 0 ? (
        <div class="notice warn">
          {text.delays}
          <ul>
            {delays.map((delay) => (
              <li>{text.problems[delay]}</li>
            ))}
          </ul>
        </div>
      ) : null}
      <p class="muted">{text.how}</p>
      <form method="post" action={`${databasesPath}/move`}>
        <input type="hidden" name="collection" value={collection} />
        <input type="hidden" name="to" value={target} />
        <p class="actions">
          <button type="submit">{text.start(count, items)}</button>
          <a class="button quiet" href={databasesPath}>
            {names.title}
          </a>
        </p>
      </form>
    </>
  );
}

interface MovePageProps {
  frame: PageContext;
  data: Loaded;
  problem: Problem | undefined;
}

function MovePage({ frame, data, problem: error }: MovePageProps) {
  const { moves: text, databases: names } = frame.text;
  const { plan, databases, collection } = data;
  const isPlan = plan !== null && typeof plan !== "string";
  const refused =
    typeof plan === "string" ? refusalProblem(frame.text, plan, data, data) : undefined;
  return (
    <AdminPage
      frame={frame}
      title={isPlan && !error ? text.review(collection, plan.target) : text.move}
      crumbs={[
        [frame.text.frame.pages.settings, "/admin/settings"],
        [names.title, databasesPath],
      ]}
      problem={error ?? refused}
      labels={{ collection: text.input.collection, to: text.input.to }}
    >
      {databases.length < 2 ? (
        <p>{text.single}</p>
      ) : isPlan && !error ? (
        <Review collection={collection} plan={plan} />
      ) : (
        <ChoiceForm {...data} />
      )}
    </AdminPage>
  );
}

const planDocument = (plan: MovePlan | MoveRefusal | null) =>
  plan === null || typeof plan === "string"
    ? { refusal: plan, move: null }
    : {
        refusal: null,
        move: {
          source: plan.source,
          target: plan.target,
          collections: plan.collections.map((each) => ({
            name: nameOf(each),
            items: each.itemCount,
          })),
          items: plan.items,
          delays: plan.delays,
        },
      };

const movePage = page({
  query: textParameters("collection", "to"),
  async load({ ctx, query }): Promise<Loaded> {
    const [collection, to] = [textOf(query["collection"]).trim(), textOf(query["to"])];
    const [collections, databases] = await Promise.all([listMovable(ctx), listDatabases(ctx)]);
    const plan = collection && to ? await planMove(ctx, collection, to) : null;
    return { collection, to, collections, databases, plan };
  },
  document: ({ collections, databases, plan }) => ({
    collections: collections.map(nameOf),
    databases: databases.map(({ name }) => name),
    ...planDocument(plan),
  }),
  render(frame, data, attempt) {
    const { collection = data.collection, to = data.to } = attempt?.values ?? {};
    const values = { ...data, collection: textOf(collection), to: textOf(to) };
    return <MovePage frame={frame} data={values} problem={attempt?.problem} />;
  },
});

const start = movePage.form({
  fields: lazy(() =>
    z.strictObject({
      collection: z.string().check(z.maxLength(100)),
      to: z.string().check(z.maxLength(20)),
    }),
  ),
  async act({ ctx, text }, choice: MoveChoice) {
    const name = choice.collection.trim();
    const started = await startMove(ctx, name, choice.to);
    if (typeof started === "string") {
      const [collections, databases] = await Promise.all([listMovable(ctx), listDatabases(ctx)]);
      throw refusalProblem(text, started, choice, { collections, databases });
    }
    const { move, isNew } = started;
    const { started: begun, underWay } = text.moves;
    const flash = (isNew ? begun : underWay)(name, move.target);
    const document = moveDocument(move);
    return { to: databasesPath, flash, document, ...(isNew ? { status: 201 as const } : {}) };
  },
});

const stop = action({
  async act({ ctx, param, text }) {
    const id = param("id");
    const stopped = /^\d{1,15}$/.test(id) ? await stopMove(ctx, Number(id)) : undefined;
    if (stopped === undefined) throw problem.notFound();
    if (stopped === null) throw problem.explainedConflict(text.moves.cannotStop);
    return { to: databasesPath, flash: text.moves.stopped, document: moveDocument(stopped) };
  },
});

export const moveForm = { show: movePage.show, start, stop };
