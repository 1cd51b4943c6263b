import { raw } from "hono/html";
import type { Child, PropsWithChildren } from "hono/jsx";

interface Frame {
  title: string;
  /** What stands above the content: navigation, for those who are signed in. */
  header?: Child;
  styles?: readonly string[];
  scripts?: readonly string[];
  /** What stands above a content that brings a main landmark of its own. */
  lead?: Child;
}

/** The frame of every page, whichever surface it belongs to. */
export function Page({
  title,
  header,
  styles = [],
  scripts = [],
  lead,
  children,
}: PropsWithChildren<Frame>) {
  return (
    <>
      {raw("<!doctype html>")}
      <html lang="en">
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width, initial-scale=1" />
          <meta name="color-scheme" content="light dark" />
          <title>{`${title} – Edge Forms`}</title>
          <link rel="icon" href="/assets/icon.svg" type="image/svg+xml" />
          {["/assets/style.css", ...styles].map((href) => (
            <link rel="stylesheet" href={href} />
          ))}
          {["/assets/page.js", ...scripts].map((src) => (
            <script src={src} defer></script>
          ))}
        </head>
        <body>
          <a class="skip" href="#content">
            Skip to content
          </a>
          {header}
          {lead ? (
            <>
              <header id="content" class="main" tabindex={-1}>
                <h1>{title}</h1>
                {lead}
              </header>
              <div class="main">{children}</div>
            </>
          ) : (
            <main id="content" class="main" tabindex={-1}>
              <h1>{title}</h1>
              {children}
            </main>
          )}
        </body>
      </html>
    </>
  );
}
