import type { Child, PropsWithChildren } from "hono/jsx";
import { partTexts } from "./language.ts";
import { useViewer } from "./viewer.tsx";

interface ButtonProps {
  action: string;
  name: Child;
  little?: boolean;
  /** The values that identify the button on its page, together with the action. */
  values?: Record<string, string>;
}

interface DirectProps extends ButtonProps {
  confirm?: never;
  quiet?: boolean;
}

interface ConfirmedProps extends ButtonProps {
  /** The text of the confirmation dialog, which explains the loss. If absent, the button posts directly. */
  confirm: NonNullable<Child>;
  /** The title of the dialog. The default is `name`. */
  title?: Child;
  /** Additional inputs in the dialog. */
  children?: Child;
}

/** Enter in an input presses the first button of a form. This hidden button comes before all others. */
export const EnterButton = ({
  children,
  ...attributes
}: PropsWithChildren<{ name?: string; value?: string; formnovalidate?: boolean }>) => (
  <button type="submit" class="unseen" tabindex={-1} aria-hidden="true" {...attributes}>
    {children}
  </button>
);

/** A button that posts a form, directly or after a confirmation. It works without scripts. */
export function Action(props: DirectProps | ConfirmedProps) {
  return props.confirm === undefined ? <SubmitButton {...props} /> : <ConfirmButton {...props} />;
}

function SubmitButton({ action, name, quiet, little, values = {} }: DirectProps) {
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

/**
 * The dialog is a popover. The browser opens it, and closes it also with Escape. A script makes it modal, so that the
 * focus stays inside.
 */
function ConfirmButton({
  action,
  name,
  confirm,
  title = name,
  little,
  values = {},
  children,
}: ConfirmedProps) {
  // Encoded, so that different values have different IDs: a.b@example.com and a-b@example.com, for example.
  const id = encodeURIComponent(["ask", action, ...Object.values(values)].join(" "));
  return (
    <>
      <button type="button" class={little ? "danger little" : "danger"} popovertarget={id}>
        {name}…
      </button>
      <dialog popover="auto" id={id} closedby="any" class="confirm" aria-labelledby={`${id}-title`}>
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
      </dialog>
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
