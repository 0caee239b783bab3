import { Ajv, type ErrorObject, type Options } from "ajv";

/** JSON Schemas, each compiled once. */
export interface CompiledSchemas {
  /** What is wrong with a value; nothing if it fits. Throws if the schema is no JSON Schema. */
  check(schema: Schema, value: unknown): readonly ErrorObject[];
  /** How many schemas were compiled so far. */
  readonly compilations: number;
}

type Validator = ReturnType<Ajv["compile"]>;
type Schema = Readonly<Record<string, unknown>>;

/** Equal schemas of different objects share a validator: so many are kept, and none that is longer. */
const MAX_KEPT = 256;
const MAX_KEPT_LENGTH = 50_000;

/**
 * A cache of validators. A validator is kept as long as its schema object lives; schemas with equal
 * content, such as those of the same tool in many sessions, share one.
 *
 * Each schema has an Ajv of its own, because an Ajv keeps all that it ever compiled. Only the one that
 * judges the schemas themselves is shared, because it compiles nothing else. What is judged and compiled is
 * what `prepare` makes of a schema.
 */
export function createCompiledSchemas(
  createAjv: (options: Options) => Ajv,
  prepare = (schema: Schema) => schema,
): CompiledSchemas {
  const byObject = new WeakMap<Schema, Validator>();
  /** The least recently used first. */
  const byContent = new Map<string, Validator>();
  const judge = new Ajv({ strict: false, validateFormats: false, logger: false });
  let compilations = 0;

  function compile(schema: Schema): Validator {
    compilations += 1;
    // Before it is judged: that alone takes long for a large schema.
    const prepared = prepare(schema);
    judge.validateSchema(prepared, true);
    const ajv = createAjv({ allErrors: true, strict: false, meta: false, validateSchema: false });
    return ajv.compile(prepared);
  }

  function shared(schema: Schema): Validator {
    const content = JSON.stringify(schema);
    if (content.length > MAX_KEPT_LENGTH) return compile(schema);
    const validate = byContent.get(content) ?? compile(schema);
    byContent.delete(content);
    byContent.set(content, validate);
    const [oldest] = byContent.keys();
    if (byContent.size > MAX_KEPT && oldest !== undefined) byContent.delete(oldest);
    return validate;
  }

  return {
    get compilations() {
      return compilations;
    },
    check(schema, value) {
      const validate = byObject.get(schema) ?? shared(schema);
      byObject.set(schema, validate);
      if (validate(value)) return [];
      const errors = validate.errors ?? [];
      // The errors hold the value, and a validator keeps its last ones.
      validate.errors = null;
      return errors;
    },
  };
}
