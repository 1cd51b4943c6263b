import { raw } from "hono/html";
import type { Child, PropsWithChildren } from "hono/jsx";

/** Light or dark, where the reader has chosen; otherwise as their system is. */
export type Theme = "system" | "light" | "dark";

interface Frame {
  title: string;
  theme?: Theme;
  /** What stands beside the content: navigation, for those who are signed in. */
  side?: Child;
  /** What stands above the title, in it, and beside it. */
  crumbs?: Child;
  badges?: Child;
  acts?: Child;
  styles?: readonly string[];
  scripts?: readonly string[];
  /** What stands above a content that brings a main landmark of its own. */
  lead?: Child;
}

/** The frame of every page, whichever surface it belongs to. */
export function Page(frame: PropsWithChildren<Frame>) {
  const { title, theme = "system", side, styles = [], scripts = [], lead, children } = frame;
  return (
    <>
      {raw("<!doctype html>")}
      <html lang="en" data-theme={theme === "system" ? undefined : theme}>
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width, initial-scale=1" />
          <meta name="color-scheme" content={theme === "system" ? "light dark" : theme} />
          <title>{`${title} – Edge Forms`}</title>
          <link rel="icon" href="/assets/icon.svg" type="image/svg+xml" />
          {["/assets/style.css", ...styles].map((href) => (
            <link rel="stylesheet" href={href} />
          ))}
          {["/assets/page.js", ...scripts].map((src) => (
            <script src={src} defer></script>
          ))}
        </head>
        <body class={side ? "framed" : undefined}>
          <a class="skip" href="#content">
            Skip to content
          </a>
          {side}
          {lead ? (
            <div class="main">
              <header id="content" tabindex={-1}>
                <Title {...frame} />
                {lead}
              </header>
              {children}
            </div>
          ) : (
            <main id="content" class={side ? "main" : "main outside"} tabindex={-1}>
              <Title {...frame} />
              {children}
            </main>
          )}
        </body>
      </html>
    </>
  );
}

function Title({ title, crumbs, badges, acts }: Frame) {
  return (
    <>
      {crumbs}
      <div class="title">
        <h1>{title}</h1>
        {badges}
        {acts ? <div class="actions">{acts}</div> : null}
      </div>
    </>
  );
}
