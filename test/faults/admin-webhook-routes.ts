import type { Json } from "../support/client";
import { assertEqual, assertStatus, adminRows, type PreparedCall, type Row } from "./routes";
import { callAdmin, type World } from "./world";
import { deleteWebhook, newWebhookBody, webhookToPost } from "./webhooks";

async function newWebhook(world: World) {
  const input = await newWebhookBody();
  const { body } = await callAdmin(world, "POST", "/webhooks", input);
  return { path: `/webhooks/${body.id}`, cleanUp: () => deleteWebhook(input.name) };
}

const rowsForWebhook = (
  route: string,
  status: number,
  prepare: (path: string, world: World) => Partial<PreparedCall> | Promise<Partial<PreparedCall>>,
  page = 303,
) =>
  adminRows(
    route,
    status,
    async (world) => {
      const webhook = await newWebhook(world);
      return { ...webhook, ...(await prepare(webhook.path, world)) };
    },
    { page },
  );

const viewRows = (suffix: string) =>
  rowsForWebhook(`GET /webhooks/:id${suffix}`, 200, (path) => ({ path: path + suffix }), 200);

const loadWebhook = async (world: World, path: string): Promise<Json> =>
  (await callAdmin(world, "GET", path)).body;

export const webhookRows: Row[] = [
  ...adminRows("GET /webhooks", 200, () => ({ path: "/webhooks" })),
  ...adminRows("GET /webhooks/new", 200, () => ({ path: "/webhooks/new" })),
  ...adminRows("POST /webhooks", 201, webhookToPost, { page: 303 }),
  ...["", "/settings", "/secrets", "/secret"].flatMap(viewRows),
  ...rowsForWebhook("POST /webhooks/:id", 200, (path, world) => ({
    body: { state: "paused" },
    verifyDone: async () => assertEqual((await loadWebhook(world, path)).state, "paused"),
  })),
  ...rowsForWebhook("POST /webhooks/:id/rotate", 200, (path, world) => ({
    path: `${path}/rotate`,
    body: { overlap: "1h" },
    verifyDone: async () => assertEqual((await loadWebhook(world, path)).secrets.length, 2),
  })),
  ...rowsForWebhook("POST /webhooks/:id/test", 200, (path) => ({ path: `${path}/test`, body: {} })),
  ...rowsForWebhook(
    "POST /webhooks/:id/deliveries/:delivery/redeliver",
    200,
    async (path, world) => {
      const { body } = await callAdmin(world, "POST", `${path}/test`, {});
      return { path: `${path}/deliveries/${body.id}/redeliver`, body: {} };
    },
  ),
  ...rowsForWebhook("POST /webhooks/:id/delete", 204, (path, world) => ({
    path: `${path}/delete`,
    body: {},
    verifyDone: async () => assertStatus(await callAdmin(world, "GET", path), 404),
    retryStatuses: [404],
  })),
];
