import { aggregates } from "../aggregates.ts";
import { fieldNumber } from "../../src/domain/data/values.ts";
import { fieldIdsOf, fields } from "../fill.ts";
import { caller } from "../../test/support/caller.ts";
import { inRounds, type Subject } from "../measure/rounds.ts";
import { count, figure, table, times } from "../report/markdown.ts";
import { bundle } from "../serve/bundle.ts";
import { Service } from "../serve/service.ts";
import { calls, type Bench, type Part } from "./bench.ts";
import { counting } from "./counting.ts";
import { prices } from "./prices.ts";

const path = "/api/v1/forms/big/submissions/aggregate";
/** The maximum number of items that an aggregate reads. */
const maxScale = 200_000;
/** A number of credentials so small that their objects stay in memory at any rate of requests. */
const tokenCount = 4;
const limits = { requests: 100_000 };

/** Measures aggregates next to plain SQL in the same run, and the rows that they read. */
export const aggregated: Part = async (bench) => {
  const scales = [...new Set([0, ...bench.scales.map((scale) => Math.min(scale, maxScale))])];
  const rows: string[][] = [];
  for (const scale of scales) rows.push(...(await measureAt(bench, scale)));
  const header = [
    "aggregate",
    "items",
    "p50, ms",
    "plain SQL, ms",
    "ratio",
    "admitted plain SQL, ms",
    "ratio",
    "its SQL, ms",
    "its SQL / plain SQL",
    "rows read",
    "$ per million",
  ];
  const text = `${table(header, rows)}

"Plain SQL" is what an engineer would write by hand for the same exact groups, without bounds. A bare Worker without
authentication sends it. "Admitted plain SQL" is the same after the object call that admits every authenticated request, so
it is what a request can be compared with. "Its SQL" is the statements of the aggregate, which the bare Worker sends. The goal
is that they take at most 1.5 times as long as plain SQL. The line without submissions shows what each request adds,
whatever it reads: authentication, the body, the log and the response.`;
  return [{ title: "Aggregates", text }];
};

async function measureAt(bench: Bench, scale: number): Promise<string[][]> {
  const { service, tokens } = await startFilled(bench, scale);
  const { pid } = service;
  const cases = scale === 0 ? aggregates.slice(0, 1) : aggregates;
  const statements = await Promise.all(
    cases.map(({ body }) => statementsOf(service, tokens[0] ?? "", body)),
  );
  const subjects = cases.flatMap(({ name, body, bare }, index): Subject[] => {
    const subject = { pid, status: 200, connections: 1 };
    const next = calls(tokens, "POST", service.url() + path, () => body);
    const url = `${service.url("sql")}/?form=big`;
    const call = { method: "POST", url, headers: {}, body: bare };
    const nextAdmitted = calls(tokens, "POST", url);
    return [
      { ...subject, name: `${name} ${scale}`, next },
      { ...subject, name: `${name} ${scale}, plain`, next: () => call },
      {
        ...subject,
        name: `${name} ${scale}, admitted plain`,
        next: () => ({ ...nextAdmitted(), body: bare }),
      },
      {
        ...subject,
        name: `${name} ${scale}, its SQL`,
        next: () => ({ ...call, body: statements[index] ?? "" }),
      },
    ];
  });
  const summaries = await inRounds(subjects, bench.rounds, bench.milliseconds);
  const rows: string[][] = [];
  for (const [index, { name, body }] of cases.entries()) {
    const read = await rowsRead(service, tokens[0] ?? "", body);
    const medians = summaries.slice(4 * index, 4 * index + 4).map(({ p50 }) => p50);
    const [own = NaN, plain = NaN, admitted = NaN, statement = NaN] = medians;
    const compared = [
      ...[plain, admitted].flatMap((each) => [figure(each), times(own / each)]),
      figure(statement),
      times(statement / plain),
    ];
    const price = figure(read * prices.rowRead);
    rows.push([name, count(scale), figure(own), ...compared, count(read), price]);
  }
  await service.stop();
  service.remove();
  return rows;
}

/**
 * Returns the statements of an aggregate as JSON. Uses a later request, because the first one of an isolate may send
 * more.
 */
async function statementsOf(service: Service, token: string, body: object): Promise<string> {
  const call = caller("", token);
  const url = service.url("statements") + path;
  await call("POST", url, body);
  const { body: trips } = await call("POST", url, body);
  return JSON.stringify(trips);
}

async function rowsRead(service: Service, token: string, body: object): Promise<number> {
  const url = service.url("counted") + path;
  await counting(url, token, "POST", body);
  const { counts } = await counting(url, token, "POST", body);
  return counts.rowsRead;
}

async function startFilled(bench: Bench, scale: number) {
  bench.note(`aggregates: fills ${count(scale)}`);
  const bundles = {
    main: bundle("src/index.ts", bench.builds),
    counted: bundle("bench/workers/counted.ts", bench.builds),
    sql: bundle("bench/workers/sql.ts", bench.builds),
    statements: bundle("bench/workers/statements.ts", bench.builds),
  };
  const service = new Service(bench.onDisk(), bundles);
  await service.begin();
  const tokens = await service.tokens(tokenCount, limits);
  await service.define("big", tokens[0] ?? "", fields);
  await service.stop();
  if (scale > 0) {
    await service.fill("big", scale);
    addDecimals(service);
  }
  await service.start();
  return { service, tokens };
}

/** Turns the whole numbers of `score` into decimals. */
function addDecimals(service: Service): void {
  service.withDatabase((db) => {
    const row = db.prepare("select id, fields from collection where key = 'big'").get();
    const collectionId = Number(row?.["id"]);
    const { fields: stored } = JSON.parse(String(row?.["fields"])) as {
      fields: Parameters<typeof fieldIdsOf>[0];
    };
    const score = fieldIdsOf(stored)["score"] ?? 0;
    const field = fieldNumber(collectionId, score);
    const place = `'$."${score}"'`;
    db.exec(`begin; update search_entry set value = value + 0.25 where field = ${field};
      update item set data = json_set(data, ${place}, (data ->> ${place}) + 0.25); commit;
      pragma wal_checkpoint(truncate)`);
  });
}
