import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** Annotations that generated Java code uses and no Debian package provides, declared without implementation. */
const javax = "javax.validation";
const swagger = "io.swagger.v3.oas.annotations";
const constraint = "Class<?>[] payload() default {};";
const texts = (...names: string[]) => names.map((name) => `String ${name}() default "";`).join(" ");

const annotations: Record<string, string> = {
  [`${javax}.Valid`]: "",
  [`${javax}.constraints.NotNull`]: constraint,
  [`${javax}.constraints.Email`]: constraint,
  [`${javax}.constraints.Pattern`]: `String regexp(); ${constraint}`,
  [`${javax}.constraints.Size`]: `int min() default 0; int max() default 0; ${constraint}`,
  [`${javax}.constraints.Min`]: `long value(); ${constraint}`,
  [`${javax}.constraints.Max`]: `long value(); ${constraint}`,
  [`${javax}.constraints.DecimalMin`]: `String value(); boolean inclusive() default true; ${constraint}`,
  [`${javax}.constraints.DecimalMax`]: `String value(); boolean inclusive() default true; ${constraint}`,
  "javax.annotation.Generated": "String[] value() default {};",
  [`${swagger}.Operation`]: `${texts("operationId", "summary", "description")} ${swagger}.responses.ApiResponse[] responses() default {}; ${swagger}.security.SecurityRequirement[] security() default {}; String[] tags() default {};`,
  [`${swagger}.Parameter`]: `${texts("name", "description", "example")} boolean required() default false;`,
  [`${swagger}.responses.ApiResponse`]: `${texts("responseCode", "description")} ${swagger}.media.Content[] content() default {};`,
  [`${swagger}.media.Content`]: `${texts("mediaType")} ${swagger}.media.Schema schema();`,
  [`${swagger}.security.SecurityRequirement`]: `${texts("name")} String[] scopes() default {};`,
  [`${swagger}.media.Schema`]: `${texts("name", "title", "description", "example", "defaultValue", "pattern", "minimum", "maximum", "format", "discriminatorProperty")} boolean enumAsRef() default false; boolean nullable() default false; int minLength() default 0; int maxLength() default 0; String[] allowableValues() default {}; RequiredMode requiredMode() default RequiredMode.AUTO; AccessMode accessMode() default AccessMode.AUTO; Class<?> implementation() default Void.class; Class<?>[] oneOf() default {}; Class<?>[] anyOf() default {}; enum RequiredMode { AUTO, REQUIRED, NOT_REQUIRED } enum AccessMode { AUTO, READ_ONLY, WRITE_ONLY, READ_WRITE }`,
};

/** Constraints may annotate types, fields, methods and parameters. */
const targets =
  "@java.lang.annotation.Target({ java.lang.annotation.ElementType.TYPE_USE, java.lang.annotation.ElementType.FIELD, java.lang.annotation.ElementType.METHOD, java.lang.annotation.ElementType.PARAMETER }) ";

/** Writes the annotations below a folder and returns the paths of their files. */
export function writeAnnotations(folder: string): string[] {
  const unwrapping = "javax.validation.valueextraction.Unwrapping";
  const unwrappingSource = [
    unwrapping,
    "public interface Unwrapping { interface Unwrap {} interface Skip {} }",
  ];
  const sources = Object.entries(annotations).map(([name, body]) => {
    const prefix = name.startsWith(javax) ? targets : "";
    return [name, `${prefix}public @interface ${name.split(".").at(-1)} { ${body} }`];
  });
  return [...sources, unwrappingSource].map(([name = "", source = ""]) => {
    const file = join(folder, `${name.replaceAll(".", "/")}.java`);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, `package ${name.slice(0, name.lastIndexOf("."))};\n${source}\n`);
    return file;
  });
}
