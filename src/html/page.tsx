import { raw } from "hono/html";
import type { Child, PropsWithChildren } from "hono/jsx";
import { partTexts } from "./language.ts";
import { useViewer } from "./viewer.tsx";

/** The theme that the viewer chose. `system` follows the setting of the operating system. */
export type Theme = "system" | "light" | "dark";

interface PageProps {
  title: string;
  theme?: Theme;
  /** The navigation, for signed-in members. */
  sidebar?: Child;
  /** Breadcrumbs appear above the title. Badges and actions appear next to it. */
  breadcrumbs?: Child;
  badges?: Child;
  actions?: Child;
  styles?: readonly string[];
  scripts?: readonly string[];
  /** Appears above content that has its own main landmark. */
  lead?: Child;
}

/** The layout of every page. */
export function Page(props: PropsWithChildren<PageProps>) {
  const { language } = useViewer();
  const { title, theme = "system", sidebar, styles = [], scripts = [], lead, children } = props;
  return (
    <>
      {raw("<!doctype html>")}
      <html lang={language} data-theme={theme === "system" ? undefined : theme}>
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
        <body class={sidebar ? "framed" : undefined}>
          <a class="skip" href="#content">
            {partTexts(language).skip}
          </a>
          {sidebar}
          {lead ? (
            <div class="main">
              {/* A header would be a second banner next to the side bar. */}
              <section id="content" aria-label={title} tabindex={-1}>
                <PageTitle {...props} />
                {lead}
              </section>
              {children}
            </div>
          ) : (
            <main id="content" class={sidebar ? "main" : "main outside"} tabindex={-1}>
              <PageTitle {...props} />
              {children}
            </main>
          )}
        </body>
      </html>
    </>
  );
}

function PageTitle({ title, breadcrumbs, badges, actions }: PageProps) {
  return (
    <>
      {breadcrumbs}
      <div class="title">
        <h1>{title}</h1>
        {badges}
        {actions ? <div class="actions">{actions}</div> : null}
      </div>
    </>
  );
}
