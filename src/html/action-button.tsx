import type { Child } from "hono/jsx";
import { partTexts } from "./language.ts";
import { useViewer } from "./viewer.tsx";

interface ActionProps {
  action: string;
  name: Child;
  /** Asks for confirmation and says what will be lost. With it, the button opens a dialog. */
  confirm?: Child;
  /** The title of the dialog; `name` by default. */
  title?: Child;
  quiet?: boolean;
  little?: boolean;
  values?: Record<string, string>;
  /** Further inputs in the dialog. */
  children?: Child;
}

/** A button that posts a form, directly or after a confirmation. It works without scripts. */
export function Action(props: ActionProps) {
  return props.confirm === undefined ? <SubmitButton {...props} /> : <ConfirmButton {...props} />;
}

function SubmitButton({ action, name, quiet, little, values = {} }: ActionProps) {
  const classes = [quiet ? "quiet" : "", little ? "little" : ""].filter(
    (className) => className !== "",
  );
  return (
    <form method="post" action={action}>
      <HiddenInputs values={values} />
      <button type="submit" class={classes.join(" ") || undefined}>
        {name}
      </button>
    </form>
  );
}

/** The dialog is a popover. The browser itself opens it and closes it, also with Escape. */
function ConfirmButton({
  action,
  name,
  confirm,
  title = name,
  little,
  values = {},
  children,
}: ActionProps) {
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
          <HiddenInputs values={values} />
          <div class="actions">
            <button
              type="button"
              class="quiet"
              popovertarget={id}
              popovertargetaction="hide"
              autofocus
            >
              {partTexts(useViewer().language).cancel}
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

function HiddenInputs({ values }: { values: Record<string, string> }) {
  return (
    <>
      {Object.entries(values).map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
    </>
  );
}
