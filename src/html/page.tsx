import { raw } from "hono/html";
import type { PropsWithChildren } from "hono/jsx";

/** The frame of every page, whichever surface it belongs to. */
export function Page({ title, children }: PropsWithChildren<{ title: string }>) {
  return (
    <>
      {raw("<!doctype html>")}
      <html lang="en">
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width" />
          <title>{`${title} – Edge Forms`}</title>
        </head>
        <body>
          <main>
            <h1>{title}</h1>
            {children}
          </main>
        </body>
      </html>
    </>
  );
}
