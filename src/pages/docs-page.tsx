import { Page } from "../html/page";

/** The reference, with "try it"; the renderer is served from the service's own assets. */
export function DocsPage({ document }: { document: string }) {
  return (
    <Page
      title="API reference"
      styles={["/assets/swagger-ui.css", "/assets/docs.css"]}
      scripts={["/assets/swagger-ui-bundle.js", "/assets/docs.js"]}
      lead={<Lead document={document} />}
    >
      <div id="reference" data-document={document}>
        <noscript>
          <p>This page needs scripts; the document does not.</p>
        </noscript>
      </div>
    </Page>
  );
}

function Lead({ document }: { document: string }) {
  return (
    <p>
      The document itself is <a href={document}>{document}</a>. Each app and form has one of its
      own, with the types of its data: <code>/docs?form=KEY</code> or <code>/docs?app=KEY</code>{" "}
      shows it here, for whoever is signed in to the administration area. Guides, recipes and all
      codes: <a href="/docs/contents">documentation</a>. For assistants there is{" "}
      <a href="/docs/mcp">
        <code>/mcp</code>
      </a>
      .
    </p>
  );
}
