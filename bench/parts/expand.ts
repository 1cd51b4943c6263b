import { caller } from "../../test/support/caller.ts";
import { inRounds, type Subject } from "../measure/rounds.ts";
import { count, figure, table, times } from "../report/markdown.ts";
import { bundle } from "../serve/bundle.ts";
import { Service } from "../serve/service.ts";
import { calls, type Part } from "./bench.ts";
import { counting } from "./counting.ts";
import { prices } from "./prices.ts";

const batchLength = 100;
const pageLength = 50;
const customerCount = 500;
const orderCount = 2000;
const basketCount = 50;
const rowsPerBasket = 20;
const references = ["first", "second", "third"];
const maxRowsPerRecord = 4;
/** A number of credentials so small that their objects stay in memory at any rate of requests. */
const tokenCount = 4;
const limits = { requests: 100_000 };

/** A read that follows references, and the plain SQL for the same rows. The names in it are fields of these apps. */
interface Case {
  name: string;
  app: string;
  query?: string;
  /** The conditions of a search. Without conditions, the read is a list. */
  conditions?: object[];
  apps: string[];
  bare: string;
}

const items = "item i where i.number > {above} and i.number < {below}";
const page = `select i.* from ${items} order by i.number limit ${pageLength}`;
const withRecords = (
  ids: string[],
) => `with page as materialized (${page}) select * from page union all
  select r.* from (select distinct id from (${ids.join(" union all ")})) n cross join item r on r.id = n.id`;
const byCustomer = (condition: string) => `select i.* from item i
  cross join item r on r.id = i.data ->> '{slot:first}' and r.data ->> ${condition}
  where i.number > {above} and i.number < {below} order by i.number limit ${pageLength}`;
const ofCustomer = (field: string, value: string) => [
  { field: "first", op: "matches", value: [{ field, op: "eq", value }] },
];

const cases: Case[] = [
  { name: "a list of 50", app: "orders", apps: ["orders"], bare: page },
  {
    name: "with three references expanded",
    app: "orders",
    query: `&expand=${references.join()}`,
    apps: ["orders"],
    bare: withRecords(references.map((key) => `select data ->> '{slot:${key}}' as id from page`)),
  },
  { name: "a list of 50 with 20 references each", app: "baskets", apps: ["baskets"], bare: page },
  {
    name: "with all 20 expanded",
    app: "baskets",
    query: "&expand=lines.customer",
    apps: ["baskets"],
    bare: withRecords([
      `select e.value ->> '{slot:customer}' as id from page cross join json_each(page.data, '$."{slot:lines}"') e`,
    ]),
  },
  {
    name: "`matches` that one record in ten meets",
    app: "orders",
    conditions: ofCustomer("tier", "gold"),
    apps: ["orders", "customers"],
    bare: byCustomer("'{slot:tier}' = 'gold'"),
  },
  {
    name: "`matches` that one record meets",
    app: "orders",
    conditions: ofCustomer("name", "customer 7"),
    apps: ["orders", "customers"],
    bare: byCustomer("'{slot:name}' = 'customer 7'"),
  },
];

/** Measures lists with and without the records that they refer to, and searches by these records, next to plain SQL. */
export const expanded: Part = async (bench) => {
  const bundles = {
    main: bundle("src/index.ts", bench.builds),
    counted: bundle("bench/workers/counted.ts", bench.builds),
    sql: bundle("bench/workers/sql.ts", bench.builds),
  };
  const service = new Service(bench.onDisk(), bundles);
  await service.begin();
  const tokens = await service.tokens(tokenCount, limits);
  const [token = ""] = tokens;
  await createRecords(service.url(), token);
  const subjects = cases.flatMap((each): Subject[] => {
    const { method, path, body } = requestOf(each);
    const subject = { name: each.name, pid: service.pid, status: 200, connections: 1 };
    const url = `${service.url("sql")}/?${each.apps.map((app) => `form=${app}`).join("&")}`;
    const nextAdmitted = calls(tokens, "POST", url);
    return [
      { ...subject, next: calls(tokens, method, service.url() + path, body && (() => body)) },
      { ...subject, next: () => ({ method: "POST", url, headers: {}, body: each.bare }) },
      { ...subject, next: () => ({ ...nextAdmitted(), body: each.bare }) },
    ];
  });
  const summaries = await inRounds(subjects, bench.rounds, bench.milliseconds);
  const measured: Measured[] = [];
  for (const [index, each] of cases.entries()) {
    const { method, path, body } = requestOf(each);
    await counting(service.url("counted") + path, token, method, body);
    const answer = await counting(service.url("counted") + path, token, method, body);
    const { included = {} } = answer.body as { included?: object };
    const [own = NaN, ...plain] = summaries.slice(3 * index, 3 * index + 3).map(({ p50 }) => p50);
    measured.push({ own, plain, counts: answer.counts, included: Object.keys(included).length });
  }
  await service.stop();
  service.remove();
  return [{ title: "References", text: report(measured) }];
};

interface Measured {
  /** The median of the service, in milliseconds. */
  own: number;
  /** The medians of plain SQL, and of admitted plain SQL. */
  plain: number[];
  counts: Awaited<ReturnType<typeof counting>>["counts"];
  included: number;
}

function report(measured: readonly Measured[]): string {
  const rows = measured.map(({ own, plain, counts, included }, index) => [
    cases[index]?.name ?? "",
    count(included),
    figure(own),
    ...plain.flatMap((each) => [figure(each), times(own / each)]),
    count(counts.d1),
    count(counts.rowsRead),
    figure(counts.rowsRead * prices.rowRead),
  ]);
  const perRecord = measured.map(({ counts, included }, index) => {
    const without = measured[index - 1];
    return included > 0 && without ? (counts.rowsRead - without.counts.rowsRead) / included : 0;
  });
  const mostRows = Math.max(...perRecord);
  if (mostRows > maxRowsPerRecord) throw new Error(`${mostRows} rows for each record.`);
  const header = [
    "",
    "records included",
    "p50, ms",
    "plain SQL, ms",
    "ratio",
    "admitted plain SQL, ms",
    "ratio",
    "D1 trips",
    "rows read",
    "$ per million",
  ];
  return `${table(header, rows)}

Each included record reads at most ${figure(mostRows)} more rows (goal: at most ${maxRowsPerRecord}). ${count(orderCount)} orders refer to ${count(customerCount)} customers. "Plain SQL" reads
the same rows for a bare Worker, which sends them as they are, and "admitted" as for aggregates.`;
}

function requestOf({ app, query = "", conditions }: Case) {
  const path = `/api/v1/apps/${app}/records`;
  return conditions
    ? { method: "POST", path: `${path}/search`, body: { conditions, limit: pageLength } }
    : { method: "GET", path: `${path}?limit=${pageLength}${query}`, body: undefined };
}

const reference = (key: string) => ({ key, type: "reference", app: "customers" });

async function createRecords(url: string, token: string): Promise<void> {
  const call = caller(url, token);
  const send = async (method: string, path: string, body: object) => {
    const { status, body: result, text } = await call(method, path, body);
    if (status > 299) throw new Error(text);
    return result as { results: { id: string }[] };
  };
  const create = async (app: string, total: number, data: (index: number) => object) => {
    const ids: string[] = [];
    while (ids.length < total) {
      const indexes = Array.from(
        { length: Math.min(batchLength, total - ids.length) },
        (_, index) => ids.length + index,
      );
      const operations = indexes.map((index) => ({ op: "create", data: data(index) }));
      const { results } = await send("POST", `/apps/${app}/records/batch`, { operations });
      ids.push(...results.map(({ id }) => id));
    }
    return ids;
  };
  const texts = ["name", "tier"].map((key) => ({ key, type: "text" }));
  await send("PUT", "/apps/customers/schema", { fields: texts });
  await send("PUT", "/apps/orders/schema", { fields: references.map(reference) });
  const lines = { key: "lines", type: "line_items", fields: [reference("customer")] };
  await send("PUT", "/apps/baskets/schema", { fields: [lines] });
  const customers = await create("customers", customerCount, (index) => ({
    name: `customer ${index}`,
    tier: index % 10 === 0 ? "gold" : "silver",
  }));
  const customer = (index: number) => customers[index % customerCount];
  await create("orders", orderCount, (index) =>
    Object.fromEntries(references.map((key, place) => [key, customer(index + place * pageLength)])),
  );
  await create("baskets", basketCount, (basket) => ({
    lines: Array.from({ length: rowsPerBasket }, (_, row) => ({
      customer: customer(basket * rowsPerBasket + row),
    })),
  }));
}
