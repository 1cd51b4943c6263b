/** A bare Worker that passes the same bytes to the same bucket: the floor of uploads and downloads. */
export default {
  async fetch(request, { FILES }): Promise<Response> {
    const { pathname } = new URL(request.url);
    const key = `floor${pathname}`;
    if (pathname === "/health") return new Response("ok");
    if (request.method === "GET") {
      const object = await FILES.get(key);
      return new Response(object?.body ?? null, { status: object ? 200 : 404 });
    }
    const sha256 = request.headers.get("X-Sha256") ?? "";
    await FILES.put(key, request.body, { sha256 });
    return new Response("stored");
  },
} satisfies ExportedHandler<Pick<Bindings, "FILES">>;
