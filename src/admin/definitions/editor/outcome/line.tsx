import type { Child } from "hono/jsx";
import type { Difference } from "../../../../domain/definition/differences";

export function differenceLine({ path, what, keys, options }: Difference): Child {
  switch (what) {
    case "added":
      return (
        <>
          <strong>{path}</strong> is added.
        </>
      );
    case "renamed":
      return (
        <>
          <strong>{path}</strong> gets the key <code>{keys?.[1]}</code>; its data stays. Programs
          that say <code>{keys?.[0]}</code> are told the new one.
        </>
      );
    case "hidden":
      return (
        <>
          <strong>{path}</strong> is hidden. Its data is kept, and comes back with it.
        </>
      );
    case "restored":
      return (
        <>
          <strong>{path}</strong> comes back, with its data.
        </>
      );
    case "retyped":
      return (
        <>
          <strong>{path}</strong> takes the place of a field of another type, whose data is kept.
        </>
      );
    case "changed":
      return options ? (
        <>
          <strong>{path}</strong> loses the options {options.join(", ")}: what has them keeps them.
        </>
      ) : (
        <>
          <strong>{path}</strong> changes. What is stored stays valid.
        </>
      );
  }
}
