import { caller } from "../../test/support/caller.ts";
import { inRounds, type Subject } from "../measure/rounds.ts";
import { count, figure, table } from "../report/markdown.ts";
import { bundle } from "../serve/bundle.ts";
import { Service } from "../serve/service.ts";
import { calls, tokenCount, type Part } from "./bench.ts";
import { counting } from "./counting.ts";
import { prices } from "./prices.ts";

const pageLength = 50;
const references = ["first", "second", "third"];
const maxRowsPerRecord = 4;
const list = "/api/v1/apps/orders/records?limit=50";

/** Measures a list of 50 records with three references, with and without the 150 referenced records. */
export const expanded: Part = async (bench) => {
  const bundles = {
    main: bundle("src/index.ts", bench.builds),
    counted: bundle("bench/workers/counted.ts", bench.builds),
  };
  const service = new Service(bench.onDisk(), bundles);
  await service.begin();
  const tokens = await service.tokens(tokenCount);
  const [token = ""] = tokens;
  await createRecords(service.url(), token);
  const paths = [list, `${list}&expand=${references.join()}`];
  const subjects = paths.map((path): Subject => {
    const next = calls(tokens, "GET", service.url() + path);
    return { name: path, pid: service.pid, status: 200, connections: 1, next };
  });
  const summaries = await inRounds(subjects, bench.rounds, bench.milliseconds);
  const rows: string[][] = [];
  const read: number[] = [];
  for (const [index, path] of paths.entries()) {
    const url = service.url("counted") + path;
    await counting(url, token, "GET");
    const { counts, body } = await counting(url, token, "GET");
    const included = Object.keys((body as { included?: object }).included ?? {}).length;
    read.push(counts.rowsRead);
    rows.push([
      index === 0 ? "a list of 50" : "with three references expanded",
      count(included),
      figure(summaries[index]?.p50 ?? NaN),
      count(counts.d1),
      count(counts.rowsRead),
      figure(counts.rowsRead * prices.rowRead),
    ]);
  }
  await service.stop();
  service.remove();
  const [plain = 0, withRecords = 0] = read;
  const perRecord = (withRecords - plain) / (pageLength * references.length);
  if (perRecord > maxRowsPerRecord) throw new Error(`${perRecord} rows for each record.`);
  const header = ["", "records included", "p50, ms", "D1 trips", "rows read", "$ per million"];
  const text = `${table(header, rows)}\n\nEach included record reads ${figure(perRecord)} more rows (goal: at most ${maxRowsPerRecord}).`;
  return [{ title: "Expanded references", text }];
};

async function createRecords(url: string, token: string): Promise<void> {
  const call = caller(url, token);
  const send = async (method: string, path: string, body: object) => {
    const { status, body: result, text } = await call(method, path, body);
    if (status > 299) throw new Error(text);
    return result as { results: { id: string }[] };
  };
  const create = (app: string, data: (index: number) => object) => {
    const each = (_: unknown, index: number) => ({ op: "create", data: data(index) });
    return send("POST", `/apps/${app}/records/batch`, {
      operations: Array.from({ length: pageLength }, each),
    });
  };
  await send("PUT", "/apps/customers/schema", { fields: [{ key: "name", type: "text" }] });
  const fields = references.map((key) => ({ key, type: "reference", app: "customers" }));
  await send("PUT", "/apps/orders/schema", { fields });
  const batches: { results: { id: string }[] }[] = [];
  for (const key of references)
    batches.push(await create("customers", (index) => ({ name: `${key} ${index}` })));
  await create("orders", (index) =>
    Object.fromEntries(references.map((key, i) => [key, batches[i]?.results[index]?.id])),
  );
}
