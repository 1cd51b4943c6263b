import type { Json } from "../support/client";
import { agree, agreeStatus, areaRows, type Prepared, type Row } from "./routes";
import { area, type World } from "./world";
import { forgetWebhook, newWebhookBody, posted } from "./webhooks";

async function newWebhook(world: World) {
  const sent = await newWebhookBody();
  const { body } = await area(world, "POST", "/webhooks", sent);
  return { path: `/webhooks/${body.id}`, after: () => forgetWebhook(sent.name) };
}

const ofWebhook = (
  route: string,
  status: number,
  rest: (path: string, world: World) => Partial<Prepared> | Promise<Partial<Prepared>>,
  page = 303,
) =>
  areaRows(
    route,
    status,
    async (world) => {
      const hook = await newWebhook(world);
      return { ...hook, ...(await rest(hook.path, world)) };
    },
    { page },
  );

const view = (rest: string) =>
  ofWebhook(`GET /webhooks/:id${rest}`, 200, (path) => ({ path: path + rest }), 200);

const now = async (world: World, path: string): Promise<Json> =>
  (await area(world, "GET", path)).body;

export const webhookRows: Row[] = [
  ...areaRows("GET /webhooks", 200, () => ({ path: "/webhooks" })),
  ...areaRows("GET /webhooks/new", 200, () => ({ path: "/webhooks/new" })),
  ...areaRows("POST /webhooks", 201, posted, { page: 303 }),
  ...["", "/settings", "/secrets", "/secret"].flatMap(view),
  ...ofWebhook("POST /webhooks/:id", 200, (path, world) => ({
    body: { state: "paused" },
    done: async () => agree((await now(world, path)).state, "paused"),
  })),
  ...ofWebhook("POST /webhooks/:id/rotate", 200, (path, world) => ({
    path: `${path}/rotate`,
    body: { overlap: "1h" },
    done: async () => agree((await now(world, path)).secrets.length, 2),
  })),
  ...ofWebhook("POST /webhooks/:id/test", 200, (path) => ({ path: `${path}/test`, body: {} })),
  ...ofWebhook("POST /webhooks/:id/deliveries/:delivery/redeliver", 200, async (path, world) => {
    const { body } = await area(world, "POST", `${path}/test`, {});
    return { path: `${path}/deliveries/${body.id}/redeliver`, body: {} };
  }),
  ...ofWebhook("POST /webhooks/:id/delete", 204, (path, world) => ({
    path: `${path}/delete`,
    body: {},
    done: async () => agreeStatus(await area(world, "GET", path), 404),
    again: [404],
  })),
];
