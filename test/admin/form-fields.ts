/** A form of a page, as a browser would send it. */
export interface PageForm {
  method: "GET" | "POST";
  action: string;
  /** What it sends without further input. */
  values: [name: string, value: string][];
  /** The inputs that people fill in. */
  inputs: string[];
  buttons: [name: string, value: string][];
}

const decode = (text: string) =>
  text
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&lt;", "<")
    .replaceAll("&amp;", "&");

const attributesOf = (tag: string): Record<string, string> =>
  Object.fromEntries(
    [...tag.matchAll(/\s([\w-]+)(?:="([^"]*)")?/g)].map(([, name = "", value = ""]) => [
      name,
      decode(value),
    ]),
  );

/** The forms of a page. Inputs inside templates are not sent. */
export function formsOf(html: string, path: string): PageForm[] {
  const page = html.replaceAll(/<template\b.*?<\/template>/gs, "");
  return [...page.matchAll(/<form\b([^>]*)>(.*?)<\/form>/gs)].map(([, head = "", body = ""]) => {
    const { method = "get", action = path } = attributesOf(head);
    const values: PageForm["values"] = [];
    const inputs: string[] = [];
    const buttons: PageForm["buttons"] = [];
    const controls = /<(input|select|textarea|button)\b([^>]*)>(?:(.*?)<\/\1>)?/gs;
    for (const [, kind = "", tag = "", content = ""] of body
      .replaceAll(/<input\b([^>]*)\/>/g, "<input$1></input>")
      .matchAll(controls)) {
      const { name, value = "", type, ...rest } = attributesOf(` ${tag}`);
      if (name === undefined || "disabled" in rest) continue;
      if (kind === "button") buttons.push([name, value]);
      else if (type === "hidden") values.push([name, value]);
      else {
        inputs.push(name);
        if (kind === "textarea") values.push([name, decode(content)]);
        else if (kind === "select") {
          const selected = /<option value="([^"]*)" selected/.exec(content)?.[1];
          values.push([name, decode(selected ?? "")]);
        } else if (type === "checkbox" || type === "radio") {
          if ("checked" in rest) values.push([name, value === "" ? "on" : value]);
        } else if (type !== "file") values.push([name, value]);
      }
    }
    return {
      method: method.toUpperCase() === "POST" ? "POST" : "GET",
      action,
      values,
      inputs: [...new Set(inputs)],
      buttons,
    };
  });
}
