import { problems, type ProblemCode } from "../domain/problem-catalogue";

/** The page that the `type` of a problem leads to. */
export function ProblemPage({ code }: { code: ProblemCode }) {
  const { status, title, meaning, remedy } = problems[code];
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width" />
        <title>{`${title} – Edge Forms`}</title>
      </head>
      <body>
        <main>
          <h1>{title}</h1>
          <p>
            <code>{code}</code>, HTTP status {status}
          </p>
          <h2>What it means</h2>
          <p>{meaning}</p>
          <h2>What to do</h2>
          <p>{remedy}</p>
          <p>
            <a href="/problems">All problems</a>
          </p>
        </main>
      </body>
    </html>
  );
}

export function ProblemsPage() {
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width" />
        <title>Problems – Edge Forms</title>
      </head>
      <body>
        <main>
          <h1>Problems</h1>
          <ul>
            {Object.entries(problems).map(([code, { status, title }]) => (
              <li>
                <a href={`/problems/${code}`}>{code}</a> ({status}): {title}
              </li>
            ))}
          </ul>
        </main>
      </body>
    </html>
  );
}
