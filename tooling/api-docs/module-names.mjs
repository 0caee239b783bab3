// A TypeDoc plugin that shows each module under its import specifier, such as `@dt/client`.
import path from "node:path";
import { Converter, ReflectionKind } from "typedoc";
import { entriesOf, LIBRARIES } from "../scripts/public-surface.mjs";

const root = path.resolve(import.meta.dirname, "../..");
const specifiers = new Map(
  LIBRARIES.flatMap((library) => entriesOf(root, library)).map(({ file, specifier }) => [
    path.join(root, file),
    specifier,
  ]),
);

export function load(app) {
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
    for (const module of project.getReflectionsByKind(ReflectionKind.Module)) {
      const source = project.files.getReflectionPath(module) ?? module.sources?.[0]?.fullFileName;
      module.name = specifiers.get(source) ?? module.name;
    }
  });
}
