import { renameSync, rmSync } from "node:fs";
import {
  defaultCredential,
  issueCredential,
  localCredentialName,
  Owner,
  saveLocal,
} from "../owner.ts";
import { stateFolder } from "../local-database.ts";
import { definitions } from "./definitions.ts";
import {
  contacts,
  demoDays,
  order,
  orderCount,
  products,
  purchase,
  purchaseAttachments,
  purchaseCount,
  demoQuestion,
  questionAttachments,
  questionCount,
  spread,
} from "./data.ts";
import { startDemoService } from "./service.ts";
import { Traffic, type Secrets } from "./traffic.ts";

const dayMs = 24 * 60 * 60 * 1000;
const unfinishedFolder = ".wrangler/demo";

/**
 * Replaces the local database by one with an owner and the demo. The folder gets its final name at the end, so an
 * interrupted run starts over.
 */
export async function createDemo(setupSecret: string): Promise<void> {
  console.log("Creating a local database with three months of demo data …");
  rmSync(unfinishedFolder, { recursive: true, force: true });
  const { url, miniflare } = await startDemoService(unfinishedFolder);
  try {
    await fillDemo(url, setupSecret);
  } finally {
    await miniflare.dispose();
  }
  rmSync(stateFolder, { recursive: true, force: true });
  renameSync(unfinishedFolder, stateFolder);
}

async function fillDemo(url: string, setupSecret: string): Promise<void> {
  const now = Date.now();
  const start = now - demoDays * dayMs;
  const traffic = new Traffic(url);
  await traffic.setClock(start - dayMs);
  const owner = new Owner(url);
  await owner.setUp(setupSecret);
  const issued = await issueCredential(owner, {
    ...defaultCredential,
    name: localCredentialName,
    expires: "365d",
  });
  if (!("token" in issued)) throw new Error("The response has no personal token.");
  owner.local.token = issued.token;
  saveLocal(owner.local);

  const send = traffic.as(issued.token);
  for (const [path, definition] of Object.entries(definitions))
    await send("PUT", `${path}/schema`, definition);
  for (const data of contacts) await send("POST", "/apps/customers/records", { data });
  for (const data of products) await send("POST", "/apps/products/records", { data });
  await inviteMembers(owner, url);
  const secrets = { staff: issued.token, ...(await issueCredentials(owner)) };

  traffic.plan(secrets, itemsOf(start, now - 20 * 60 * 1000), now);
  await traffic.run(now - 9 * dayMs);
  const webhook = await send("POST", "/webhooks", {
    name: "Parcel service",
    url: "https://parcels.example/hooks/orders",
    types: ["record.created", "record.updated"],
    collections: ["app:orders"],
  });
  await traffic.run(now);
  // The receiver of this webhook exists only while the demo is created.
  await send("PATCH", `/webhooks/${(webhook.body as { id: string }).id}`, { state: "paused" });
}

/** Returns the items in the order of their creation, as requests of the credentials. */
function itemsOf(start: number, end: number) {
  const orders = spread(orderCount, start, end).map((at, index) => ({
    at,
    path: "/apps/orders/records",
    body: { data: order(index, at) },
  }));
  const purchases = spread(purchaseCount, start, end).map((at, index) => ({
    at,
    path: "/forms/purchase/submissions",
    body: purchase(index, at),
    later: purchaseAttachments[index],
  }));
  const questions = spread(questionCount, start, end).map((at, index) => ({
    at,
    path: "/forms/helpdesk/submissions",
    body: { data: demoQuestion(index) },
    attachment: questionAttachments[index],
  }));
  return { orders, purchases, questions };
}

async function inviteMembers(owner: Owner, url: string): Promise<void> {
  for (const [email, role] of [
    ["misaki@example.com", "editor"],
    ["jonas@example.com", "viewer"],
  ] as const) {
    const response = await owner.send("POST", "/admin/members", { email, role });
    const { link } = (await response.json()) as { link: string };
    await fetch(url + new URL(link).pathname, {
      method: "POST",
      headers: { "Content-Type": "application/json", Origin: url },
      body: JSON.stringify({ password: crypto.randomUUID() }),
    });
  }
}

async function issueCredentials(owner: Owner): Promise<Omit<Secrets, "staff">> {
  const issue = async (options: object) => {
    const issued = await issueCredential(owner, { ...defaultCredential, ...options });
    return "token" in issued ? issued.token : `${issued.client_id}:${issued.client_secret}`;
  };
  return {
    shop: await issue({
      name: "Online shop",
      permissions: "records:read,records:write",
      resources: "app:orders,app:customers,app:products",
      expires: "365d",
    }),
    website: await issue({
      name: "Website and intranet",
      permissions: "submissions:create,submissions:write",
      resources: "form:helpdesk,form:purchase",
      expires: `${demoDays + 7}d`,
    }),
    erp: await issue({
      name: "ERP sync",
      kind: "client",
      permissions: "records:read,submissions:read,schema:read",
      expires: "never",
      requests: 30,
      writes: 10,
    }),
  };
}
