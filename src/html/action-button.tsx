import type { Child } from "hono/jsx";

interface Act {
  action: string;
  name: Child;
  /** Asked before it is done, naming what is lost; then the button only opens the question. */
  confirm?: Child;
  /** What the question is called, and the button that answers it; both as `name` where left out. */
  title?: Child;
  quiet?: boolean;
  little?: boolean;
  values?: Record<string, string>;
  /** Further inputs, in the question. */
  children?: Child;
}

/** A button that posts, at once or after a question; without a script too. */
export function Act(act: Act) {
  return act.confirm === undefined ? <Button {...act} /> : <Confirm {...act} />;
}

function Button({ action, name, quiet, little, values = {} }: Act) {
  const classes = [quiet ? "quiet" : "", little ? "little" : ""].filter((each) => each !== "");
  return (
    <form method="post" action={action}>
      <Hidden values={values} />
      <button type="submit" class={classes.join(" ") || undefined}>
        {name}
      </button>
    </form>
  );
}

/** The question is a popover: opened, closed and left with Escape by the browser itself. */
function Confirm({ action, name, confirm, title = name, little, values = {}, children }: Act) {
  const id = `ask${action}-${Object.values(values).join("-")}`.replaceAll(/[^\w-]+/g, "-");
  return (
    <>
      <button type="button" class={little ? "danger little" : "danger"} popovertarget={id}>
        {name}…
      </button>
      <div popover="auto" id={id} class="confirm" role="dialog" aria-labelledby={`${id}-title`}>
        <form method="post" action={action}>
          <h2 id={`${id}-title`}>{title}</h2>
          <p>{confirm}</p>
          {children}
          <Hidden values={values} />
          <div class="actions">
            <button
              type="button"
              class="quiet"
              popovertarget={id}
              popovertargetaction="hide"
              autofocus
            >
              Cancel
            </button>
            <button type="submit" class="sure">
              {name}
            </button>
          </div>
        </form>
      </div>
    </>
  );
}

function Hidden({ values }: { values: Record<string, string> }) {
  return (
    <>
      {Object.entries(values).map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
    </>
  );
}
