import { beforeAll } from "vitest";
import { Client, type Answer, type Json } from "../support/client";
import { type rightRequest } from "../support/right-requests";
import { routes } from "../support/routes";
import { makeApp } from "../support/service";
import { world } from "../support/world";

/** The documented responses of each route. */

export type ValidRequest = Awaited<ReturnType<typeof rightRequest>>;

export const names = [...routes.keys()].filter((name) => / \/api\/v1\//.test(name));
export let integrator: Client;
export let document: Json;
beforeAll(async () => {
  integrator = new Client((await world()).bearer);
  // A second app, so that a list with limit=1 has a next page.
  await makeApp(integrator, [{ key: "title", type: "text" }]);
  document = (await integrator.get("/openapi.json")).body;
});

export function documentedResponses(name: string): Json {
  const [, method = "", path = ""] = /^(\w+) \/api\/v1(.*)$/.exec(name) ?? [];
  const template = path.replaceAll(/:(\w+)/g, (_, parameter: string) =>
    parameter === "key" ? (path.startsWith("/apps") ? "{app}" : "{form}") : `{${parameter}}`,
  );
  return document.paths[template][method.toLowerCase()].responses;
}

export const send = (
  { method, path, body }: ValidRequest,
  headers = {},
  caller = integrator,
): Promise<Answer> => caller.send(method, `https://forms.example${path}`, body, headers);
